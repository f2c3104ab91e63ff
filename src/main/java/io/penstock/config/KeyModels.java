package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionSchema;
import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.ValueShape;
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
record KeyModels() implements ValueShape<Map<String, ModelLimits>> {
  static final RouteSetting<Long> RPM =
      RouteSetting.fixed(
          "rpm", KeySettings.LIMIT, 0L, "Requests in any 60 seconds; 0 is unlimited.");
  static final RouteSetting<Long> TPM =
      RouteSetting.fixed("tpm", KeySettings.LIMIT, 0L, "Tokens in any 60 seconds; 0 is unlimited.");

  /** The settings, in display order. */
  static final List<RouteSetting<?>> TABLE = List.of(RPM, TPM);

  @Override
  public Optional<Map<String, ModelLimits>> read(Node node, SourceFile source, String name) {
    Optional<MappingNode> mapping = source.mapping(node, name, "a mapping of models");
    if (mapping.isEmpty()) {
      return Optional.empty();
    }
    List<NodeTuple> entries = source.entries(mapping.get());
    Map<String, ModelLimits> models = new LinkedHashMap<>();
    Set<String> seen = new HashSet<>();
    for (NodeTuple entry : entries) {
      Optional<String> model =
          FileSection.uniqueKey(entry.getKeyNode(), seen, source)
              .flatMap(key -> ModelsSetting.model(entry.getKeyNode(), source));
      Optional<ModelLimits> limits = limits(entry.getValueNode(), source);
      if (model.isPresent() && limits.isPresent()) {
        models.put(model.get(), limits.get());
      }
    }
    return models.size() == entries.size() ? Optional.of(models) : Optional.empty();
  }

  private static Optional<ModelLimits> limits(Node node, SourceFile source) {
    Optional<FileSection> section =
        source
            .mapping(node, "a model", "a mapping with rpm or tpm")
            .map(mapping -> FileSection.read(mapping, TABLE, source));
    if (section.isEmpty() || section.get().broken()) {
      return Optional.empty();
    }
    EffectiveValues values = EffectiveValues.of(TABLE, section.get());
    return Optional.of(new ModelLimits(values.get(RPM), values.get(TPM)));
  }

  @Override
  public Object show(Map<String, ModelLimits> value) {
    Map<String, Object> shown = new TreeMap<>();
    value.forEach(
        (model, limits) ->
            shown.put(
                model, ValueShape.keywords(RPM.name(), limits.rpm(), TPM.name(), limits.tpm())));
    return shown;
  }

  @Override
  public Map<String, Object> schema() {
    return ValueShape.keywords("type", "object", "additionalProperties", SectionSchema.of(TABLE));
  }
}
