package io.penstock.config.shape;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.nodes.Node;

/** A non-empty list of endpoint paths without duplicates. */
public record EndpointPaths() implements ValueShape<List<String>> {
  private static final EndpointPath PATH = new EndpointPath();

  @Override
  public Optional<List<String>> read(Node node, SourceFile source, String name) {
    Optional<List<Node>> items = source.items(node, name, "a list of paths of endpoints");
    if (items.isEmpty()) {
      return Optional.empty();
    }
    Set<String> paths = new LinkedHashSet<>();
    for (Node item : items.get()) {
      Optional<String> path = PATH.read(item, source, "a path");
      if (path.isPresent() && !paths.add(path.get())) {
        source.fault(
            item, "path " + ScalarValue.quote(path.get()) + " is there twice, expected once");
      }
    }
    if (items.get().isEmpty()) {
      source.fault(node, name + " is empty, expected a path, or no " + name + " to allow all");
    }
    boolean good = !paths.isEmpty() && paths.size() == items.get().size();
    return good ? Optional.of(List.copyOf(paths)) : Optional.empty();
  }

  @Override
  public Object show(List<String> value) {
    return value;
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords(
        "type", "array", "items", PATH.schema(), "minItems", 1, "uniqueItems", true);
  }
}
