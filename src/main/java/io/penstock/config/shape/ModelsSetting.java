package io.penstock.config.shape;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;

/**
 * The models of an upstream: a list of names, or a mapping from the names that clients use to the
 * upstream's own.
 */
public record ModelsSetting() implements ValueShape<Map<String, String>> {
  private static final String EXPECTED = "a list of models, or a mapping of aliases to models";

  /** The name of one model. */
  public static final WordShapes.Line NAME = new WordShapes.Line("its name", "a name", 256);

  @Override
  public Optional<Map<String, String>> read(Node node, SourceFile source, String name) {
    Map<String, String> models = new LinkedHashMap<>();
    int items;
    if (node instanceof MappingNode) {
      List<NodeTuple> tuples =
          source.mapping(node, name, EXPECTED).map(MappingNode::getValue).orElse(List.of());
      items = tuples.size();
      for (NodeTuple tuple : tuples) {
        Optional<String> alias = model(tuple.getKeyNode(), source);
        Optional<String> own = model(tuple.getValueNode(), source);
        if (alias.isPresent() && own.isPresent()) {
          add(models, alias.get(), own.get(), tuple.getKeyNode(), source);
        }
      }
    } else {
      List<Node> nodes = source.items(node, name, EXPECTED).orElse(List.of());
      items = nodes.size();
      for (Node item : nodes) {
        model(item, source).ifPresent(model -> add(models, model, model, item, source));
      }
    }
    if (items == 0 && !YamlNodes.plainScalar(node)) {
      source.fault(node, name + " is empty, expected a model, or no " + name + " to take any");
    }
    return items > 0 && models.size() == items ? Optional.of(models) : Optional.empty();
  }

  private static void add(
      Map<String, String> models, String alias, String own, Node node, SourceFile source) {
    if (models.putIfAbsent(alias, own) != null) {
      source.fault(node, "model " + ScalarValue.quote(alias) + " is there twice, expected it once");
    }
  }

  /** Reads the name of a model, or adds a fault. */
  public static Optional<String> model(Node node, SourceFile source) {
    return NAME.read(node, source, "a model");
  }

  /** A non-empty list of model names without duplicates. */
  public record Names() implements ValueShape<List<String>> {
    @Override
    public Optional<List<String>> read(Node node, SourceFile source, String name) {
      List<Node> nodes = source.items(node, name, "a list of models").orElse(List.of());
      Map<String, String> models = new LinkedHashMap<>();
      for (Node item : nodes) {
        model(item, source).ifPresent(model -> add(models, model, model, item, source));
      }
      if (nodes.isEmpty() && !YamlNodes.plainScalar(node) && !(node instanceof MappingNode)) {
        source.fault(node, name + " is empty, expected a model");
      }
      boolean good = !nodes.isEmpty() && models.size() == nodes.size();
      return good ? Optional.of(List.copyOf(models.keySet())) : Optional.empty();
    }

    @Override
    public Object show(List<String> value) {
      return value;
    }

    @Override
    public Map<String, Object> schema() {
      return ValueShape.keywords(
          "type", "array", "items", NAME.schema(), "minItems", 1, "uniqueItems", true);
    }
  }

  @Override
  public Object show(Map<String, String> value) {
    boolean list = value.entrySet().stream().allMatch(e -> e.getKey().equals(e.getValue()));
    return list ? List.copyOf(value.keySet()) : Collections.unmodifiableMap(value);
  }

  @Override
  public Map<String, Object> schema() {
    Map<String, Object> name = NAME.schema();
    return ValueShape.keywords(
        "anyOf",
        List.of(
            ValueShape.keywords("type", "array", "items", name, "minItems", 1, "uniqueItems", true),
            ValueShape.keywords(
                "type", "object", "additionalProperties", name, "minProperties", 1)));
  }
}
