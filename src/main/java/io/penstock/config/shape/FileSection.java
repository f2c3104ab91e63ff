package io.penstock.config.shape;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * One mapping of a route file, read by a table of settings, with the values that it sets and their
 * places.
 */
public final class FileSection {
  private final SourcePlace start;
  private final Map<String, LocatedValue<?>> set = new HashMap<>();
  private final Set<String> broken = new HashSet<>();

  private FileSection(SourcePlace start) {
    this.start = start;
  }

  /** Returns a section that sets nothing. */
  public static FileSection empty(SourcePlace start) {
    return new FileSection(start);
  }

  /** Reads {@code node}; faults go to the source, and settings with faults stay unset. */
  public static FileSection read(
      MappingNode node, List<RouteSetting<?>> table, SourceFile sourceFile) {
    FileSection fileSection = new FileSection(sourceFile.place(node));
    Map<String, RouteSetting<?>> byName = new HashMap<>();
    for (RouteSetting<?> setting : table) {
      byName.put(setting.name(), setting);
      setting.otherNames().forEach(other -> byName.put(other, setting));
    }
    Set<String> seen = new HashSet<>();
    Map<String, LocatedValue<String>> written = new HashMap<>();
    for (NodeTuple tuple : sourceFile.entries(node)) {
      if (sourceFile.findings().full()) {
        break;
      }
      Optional<String> name = uniqueKey(tuple.getKeyNode(), seen, sourceFile);
      RouteSetting<?> setting = name.map(byName::get).orElse(null);
      if (setting == null) {
        name.ifPresent(
            key ->
                sourceFile.unknown(
                    tuple.getKeyNode(), sourceFile.unknownKeys().describe(key, table)));
        continue;
      }
      LocatedValue<String> key =
          new LocatedValue<>(name.get(), sourceFile.place(tuple.getKeyNode()));
      if (onlyName(setting, key, written, sourceFile)) {
        fileSection.readValue(setting, key.value(), tuple.getValueNode(), sourceFile);
      }
    }
    for (RouteSetting<?> setting : table) {
      if (setting.fallback() instanceof RouteSetting.Fallback.Required
          && !written.containsKey(setting.name())) {
        sourceFile.fault(node, setting.name() + " is missing, expected it here");
        fileSection.broken.add(setting.name());
      }
    }
    return fileSection;
  }

  /**
   * Returns whether {@code key} is the only name under which the section sets {@code setting}, or
   * adds a fault.
   */
  private static boolean onlyName(
      RouteSetting<?> setting,
      LocatedValue<String> key,
      Map<String, LocatedValue<String>> written,
      SourceFile sourceFile) {
    LocatedValue<String> first = written.putIfAbsent(setting.name(), key);
    if (first != null) {
      sourceFile
          .findings()
          .fault(
              key.place(),
              "%s and %s, which is set at %s, are two names of one setting, expected only %s"
                  .formatted(key.value(), first.value(), first.place(), setting.name()));
      return false;
    }
    return true;
  }

  private <T> void readValue(
      RouteSetting<T> setting, String name, Node node, SourceFile sourceFile) {
    if (sourceFile.rls() && RlsUnsetValues.unset(setting.name(), node, sourceFile.variables())) {
      return;
    }
    Optional<T> value = setting.shape().read(node, sourceFile, name);
    if (value.isPresent()) {
      set.put(setting.name(), new LocatedValue<>(value.get(), sourceFile.place(node)));
    } else {
      broken.add(setting.name());
    }
  }

  /** Sets {@code setting}, as if it were written at the start of the section. */
  public <T> void put(RouteSetting<T> setting, T value) {
    set.put(setting.name(), new LocatedValue<>(value, start));
  }

  /** Returns the key in {@code node} if it has not been seen before, or adds a fault. */
  public static Optional<String> uniqueKey(Node node, Set<String> seen, SourceFile sourceFile) {
    Optional<String> key = YamlNodes.key(node);
    if (key.isEmpty()) {
      String what =
          node.getTag().equals(Tag.MERGE)
              ? "merge keys (<<) are not read, expected the settings themselves, or defaults"
              : "a key is " + YamlNodes.kind(node) + ", expected a name";
      sourceFile.fault(node, what);
    } else if (!seen.add(key.get())) {
      sourceFile.fault(
          node, "key " + ScalarValue.quote(key.get()) + " is there twice, expected it once");
      return Optional.empty();
    }
    return key;
  }

  /** Returns the start of the section. */
  public SourcePlace start() {
    return start;
  }

  /**
   * Returns whether {@code setting} is written here and unusable, or is missing although required.
   */
  public boolean broken(RouteSetting<?> setting) {
    return broken.contains(setting.name());
  }

  /** Returns whether anything here is unusable. */
  public boolean broken() {
    return !broken.isEmpty();
  }

  /** Returns the value set here, or null. */
  @SuppressWarnings(
      "unchecked") // readValue and put, the only writers, put a T under a Setting of T
  public <T> @Nullable LocatedValue<T> get(RouteSetting<T> setting) {
    return (LocatedValue<T>) set.get(setting.name());
  }
}
