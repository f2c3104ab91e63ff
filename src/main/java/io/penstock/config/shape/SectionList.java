package io.penstock.config.shape;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;

/**
 * A list of sections that each hold the settings of one table.
 *
 * @param of name of the list's items in faults
 * @param secret whether text in place of a section may be a secret, and is not shown
 */
public record SectionList(String of, List<RouteSetting<?>> table, boolean secret)
    implements ValueShape<List<FileSection>> {
  /** A list of sections that hold no secrets. */
  public SectionList(String of, List<RouteSetting<?>> table) {
    this(of, table, false);
  }

  @Override
  public Optional<List<FileSection>> read(Node node, SourceFile source, String name) {
    if (hides(node)) {
      source.fault(node, "%s is text, expected a list of %ss".formatted(name, of));
      return Optional.empty();
    }
    Optional<List<Node>> items = source.items(node, name, "a list of " + of + "s");
    if (items.isEmpty()) {
      return Optional.empty();
    }
    List<FileSection> sections = new ArrayList<>();
    for (Node item : items.get()) {
      if (source.findings().full()) {
        break;
      }
      if (hides(item)) {
        source.fault(item, article() + of + " is text, expected a mapping of settings");
        continue;
      }
      Optional<MappingNode> mapping = source.mapping(item, article() + of, "a mapping of settings");
      mapping.ifPresent(m -> sections.add(FileSection.read(m, table, source)));
    }
    return Optional.of(sections);
  }

  private boolean hides(Node node) {
    return secret && YamlNodes.plainScalar(node);
  }

  private String article() {
    return "aeiou".indexOf(of.charAt(0)) < 0 ? "a " : "an ";
  }

  /** Returns a list without sections, such as a default, as it is. */
  @Override
  public Object show(List<FileSection> value) {
    return value;
  }

  @Override
  public Object show(List<FileSection> value, EffectiveValues within) {
    return value.stream()
        .map(section -> EffectiveValues.inside(within, table, section).shown())
        .toList();
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords("type", "array", "items", SectionSchema.of(table));
  }
}
