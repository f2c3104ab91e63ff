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
final class Section {
  private final Place start;
  private final Map<String, Located<?>> set = new HashMap<>();
  private final Set<String> broken = new HashSet<>();

  private Section(Place start) {
    this.start = start;
  }

  /** Returns a section that sets nothing. */
  static Section empty(Place start) {
    return new Section(start);
  }

  /** Reads {@code node}; faults go to the source, and settings with faults stay unset. */
  static Section read(MappingNode node, List<Setting<?>> table, Source source) {
    Section section = new Section(source.place(node));
    Map<String, Setting<?>> byName = new HashMap<>();
    table.forEach(setting -> byName.put(setting.name(), setting));
    Set<String> seen = new HashSet<>();
    for (NodeTuple tuple : source.entries(node)) {
      if (source.faults().full()) {
        break;
      }
      Optional<String> name = uniqueKey(tuple.getKeyNode(), seen, source);
      Setting<?> setting = name.map(byName::get).orElse(null);
      if (setting != null) {
        section.readValue(setting, tuple.getValueNode(), source);
      } else if (name.isPresent()) {
        source.unknown(tuple.getKeyNode(), Nearest.unknownKey(name.get(), table));
      }
    }
    for (Setting<?> setting : table) {
      if (setting.fallback() instanceof Setting.Fallback.Required
          && !seen.contains(setting.name())) {
        source.fault(node, setting.name() + " is missing, expected it here");
        section.broken.add(setting.name());
      }
    }
    return section;
  }

  private <T> void readValue(Setting<T> setting, Node node, Source source) {
    if (source.rls() && Rls.unset(setting.name(), node, source.variables())) {
      return;
    }
    Optional<T> value = setting.shape().read(node, source, setting.name());
    if (value.isPresent()) {
      set.put(setting.name(), new Located<>(value.get(), source.place(node)));
    } else {
      broken.add(setting.name());
    }
  }

  /** Sets {@code setting}, as if it were written at the start of the section. */
  <T> void put(Setting<T> setting, T value) {
    set.put(setting.name(), new Located<>(value, start));
  }

  /** Returns the key in {@code node} if it has not been seen before, or adds a fault. */
  static Optional<String> uniqueKey(Node node, Set<String> seen, Source source) {
    Optional<String> key = key(node);
    if (key.isEmpty()) {
      String what =
          node.getTag().equals(Tag.MERGE)
              ? "merge keys (<<) are not read, expected the settings themselves, or defaults"
              : "a key is " + Source.kind(node) + ", expected a name";
      source.fault(node, what);
    } else if (!seen.add(key.get())) {
      source.fault(node, "key " + Scalar.quote(key.get()) + " is there twice, expected it once");
      return Optional.empty();
    }
    return key;
  }

  /** Returns the text of a key if it is plain text. */
  static Optional<String> key(Node node) {
    return node instanceof ScalarNode scalar && Source.plainScalar(node) && !merge(node)
        ? Optional.of(scalar.getValue())
        : Optional.empty();
  }

  private static boolean merge(Node node) {
    return node.getTag().equals(Tag.MERGE);
  }

  /** Returns the start of the section. */
  Place start() {
    return start;
  }

  /**
   * Returns whether {@code setting} is written here and unusable, or is missing although required.
   */
  boolean broken(Setting<?> setting) {
    return broken.contains(setting.name());
  }

  /** Returns whether anything here is unusable. */
  boolean broken() {
    return !broken.isEmpty();
  }

  /** Returns the value set here, or null. */
  @SuppressWarnings(
      "unchecked") // readValue and put, the only writers, put a T under a Setting of T
  <T> @Nullable Located<T> get(Setting<T> setting) {
    return (Located<T>) set.get(setting.name());
  }
}
