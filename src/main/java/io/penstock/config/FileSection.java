package io.penstock.config;

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
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * One mapping of a route file, read by a table of settings, with the values that it sets and their
 * places.
 */
final class FileSection {
  private final SourcePlace start;
  private final Map<String, LocatedValue<?>> set = new HashMap<>();
  private final Set<String> broken = new HashSet<>();

  private FileSection(SourcePlace start) {
    this.start = start;
  }

  /** Returns a section that sets nothing. */
  static FileSection empty(SourcePlace start) {
    return new FileSection(start);
  }

  /** Reads {@code node}; faults go to the source, and settings with faults stay unset. */
  static FileSection read(MappingNode node, List<RouteSetting<?>> table, SourceFile sourceFile) {
    FileSection fileSection = new FileSection(sourceFile.place(node));
    Map<String, RouteSetting<?>> byName = new HashMap<>();
    table.forEach(routeSetting -> byName.put(routeSetting.name(), routeSetting));
    Set<String> seen = new HashSet<>();
    for (NodeTuple tuple : sourceFile.entries(node)) {
      if (sourceFile.faults().full()) {
        break;
      }
      Optional<String> name = uniqueKey(tuple.getKeyNode(), seen, sourceFile);
      RouteSetting<?> routeSetting = name.map(byName::get).orElse(null);
      if (routeSetting != null) {
        fileSection.readValue(routeSetting, tuple.getValueNode(), sourceFile);
      } else if (name.isPresent()) {
        sourceFile.unknown(tuple.getKeyNode(), NearestName.unknownKey(name.get(), table));
      }
    }
    for (RouteSetting<?> routeSetting : table) {
      if (routeSetting.fallback() instanceof RouteSetting.Fallback.Required
          && !seen.contains(routeSetting.name())) {
        sourceFile.fault(node, routeSetting.name() + " is missing, expected it here");
        fileSection.broken.add(routeSetting.name());
      }
    }
    return fileSection;
  }

  private <T> void readValue(RouteSetting<T> routeSetting, Node node, SourceFile sourceFile) {
    if (sourceFile.rls()
        && RlsCompatibility.unset(routeSetting.name(), node, sourceFile.variables())) {
      return;
    }
    Optional<T> value = routeSetting.shape().read(node, sourceFile, routeSetting.name());
    if (value.isPresent()) {
      set.put(routeSetting.name(), new LocatedValue<>(value.get(), sourceFile.place(node)));
    } else {
      broken.add(routeSetting.name());
    }
  }

  /** Sets {@code routeSetting}, as if it were written at the start of the section. */
  <T> void put(RouteSetting<T> routeSetting, T value) {
    set.put(routeSetting.name(), new LocatedValue<>(value, start));
  }

  /** Returns the key in {@code node} if it has not been seen before, or adds a fault. */
  static Optional<String> uniqueKey(Node node, Set<String> seen, SourceFile sourceFile) {
    Optional<String> key = key(node);
    if (key.isEmpty()) {
      String what =
          node.getTag().equals(Tag.MERGE)
              ? "merge keys (<<) are not read, expected the settings themselves, or defaults"
              : "a key is " + SourceFile.kind(node) + ", expected a name";
      sourceFile.fault(node, what);
    } else if (!seen.add(key.get())) {
      sourceFile.fault(
          node, "key " + ScalarValue.quote(key.get()) + " is there twice, expected it once");
      return Optional.empty();
    }
    return key;
  }

  /** Returns the text of a key if it is plain text. */
  static Optional<String> key(Node node) {
    return node instanceof ScalarNode scalar && SourceFile.plainScalar(node) && !merge(node)
        ? Optional.of(scalar.getValue())
        : Optional.empty();
  }

  private static boolean merge(Node node) {
    return node.getTag().equals(Tag.MERGE);
  }

  /** Returns the start of the section. */
  SourcePlace start() {
    return start;
  }

  /**
   * Returns whether {@code routeSetting} is written here and unusable, or is missing although
   * required.
   */
  boolean broken(RouteSetting<?> routeSetting) {
    return broken.contains(routeSetting.name());
  }

  /** Returns whether anything here is unusable. */
  boolean broken() {
    return !broken.isEmpty();
  }

  /** Returns the value set here, or null. */
  @SuppressWarnings(
      "unchecked") // readValue and put, the only writers, put a T under a Setting of T
  <T> @Nullable LocatedValue<T> get(RouteSetting<T> routeSetting) {
    return (LocatedValue<T>) set.get(routeSetting.name());
  }
}
