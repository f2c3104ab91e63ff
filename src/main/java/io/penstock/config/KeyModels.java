package io.penstock.config;

import io.penstock.cost.Cost;
import io.penstock.key.KeySpec.ModelLimits;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;

/** Limits of a key for single models, by the names that clients use. */
record KeyModels() implements Shape<Map<String, ModelLimits>> {
  private static final Numbers.Whole LIMIT = new Numbers.Whole(0, Cost.MAX_TOKENS);

  static final Setting<Long> RPM =
      Setting.fixed("rpm", LIMIT, 0L, "Requests in any 60 seconds; 0 is unlimited.");
  static final Setting<Long> TPM =
      Setting.fixed("tpm", LIMIT, 0L, "Tokens in any 60 seconds; 0 is unlimited.");

  /** The settings, in display order. */
  static final List<Setting<?>> TABLE = List.of(RPM, TPM);

  @Override
  public Optional<Map<String, ModelLimits>> read(Node node, Source source, String name) {
    Optional<MappingNode> mapping = source.mapping(node, name, "a mapping of models");
    if (mapping.isEmpty()) {
      return Optional.empty();
    }
    List<NodeTuple> entries = source.entries(mapping.get());
    Map<String, ModelLimits> models = new LinkedHashMap<>();
    Set<String> seen = new HashSet<>();
    for (NodeTuple entry : entries) {
      Optional<String> model =
          Section.uniqueKey(entry.getKeyNode(), seen, source)
              .flatMap(key -> Models.model(entry.getKeyNode(), source));
      Optional<ModelLimits> limits = limits(entry.getValueNode(), source);
      if (model.isPresent() && limits.isPresent()) {
        models.put(model.get(), limits.get());
      }
    }
    return models.size() == entries.size() ? Optional.of(models) : Optional.empty();
  }

  private static Optional<ModelLimits> limits(Node node, Source source) {
    Optional<Section> section =
        source
            .mapping(node, "a model", "a mapping with rpm or tpm")
            .map(mapping -> Section.read(mapping, TABLE, source));
    if (section.isEmpty() || section.get().broken()) {
      return Optional.empty();
    }
    Values values = Values.of(TABLE, section.get());
    return Optional.of(new ModelLimits(values.get(RPM), values.get(TPM)));
  }

  @Override
  public Object show(Map<String, ModelLimits> value) {
    Map<String, Object> shown = new TreeMap<>();
    value.forEach(
        (model, limits) ->
            shown.put(model, Shape.keywords(RPM.name(), limits.rpm(), TPM.name(), limits.tpm())));
    return shown;
  }

  @Override
  public Map<String, Object> schema() {
    return Shape.keywords("type", "object", "additionalProperties", RouteText.sectionSchema(TABLE));
  }
}
