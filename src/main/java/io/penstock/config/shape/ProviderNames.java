package io.penstock.config.shape;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.nodes.Node;

/** Names of the built-in profiles of model quotas. */
public record ProviderNames() implements ValueShape<List<String>> {
  /** The key in route files. */
  public static final String KEY = "providers";

  private static final WordShapes.Choice<String> NAME =
      WordShapes.Choice.of(List.of("openai", "anthropic", "gemini", "local"), name -> name);

  @Override
  public Optional<List<String>> read(Node node, SourceFile source, String name) {
    Set<String> names = new LinkedHashSet<>();
    for (Node item : source.items(node, name, "a list of providers").orElse(List.of())) {
      NAME.read(item, source, "a provider").ifPresent(names::add);
    }
    return Optional.of(List.copyOf(names));
  }

  @Override
  public Object show(List<String> value) {
    return value;
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords(
        "description",
        "Providers whose quotas per model apply, as they are built in.",
        "type",
        "array",
        "items",
        NAME.schema());
  }
}
