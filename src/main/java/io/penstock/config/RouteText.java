package io.penstock.config;

import io.penstock.config.shape.ProviderNames;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.SectionSchema;
import io.penstock.config.shape.ValueShape;
import io.penstock.config.shape.VariableExpansion;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.GroupSpec;
import io.penstock.sharing.LimitId.Kind;
import io.penstock.sharing.SharingTerms;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.representer.Representer;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Output for users: a configuration as YAML, and the schema of route files. */
public final class RouteText {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private RouteText() {}

  /**
   * Returns the resolved configuration as one route file, with secrets masked. If files differ in
   * max_dynamic_endpoints, each endpoint shows the value of its file.
   */
  public static String yaml(ConfigurationSnapshot snapshot) {
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setIndicatorIndent(2);
    options.setIndentWithIndicator(true);
    options.setSplitLines(false);
    Yaml yaml =
        new Yaml(new SafeConstructor(new LoaderOptions()), new Representer(options), options);
    return yaml.dump(file(snapshot));
  }

  private static Map<String, Object> file(ConfigurationSnapshot snapshot) {
    Map<String, Object> file = new LinkedHashMap<>();
    String most = EndpointSettings.MAX_DYNAMIC_ENDPOINTS.name();
    Set<Integer> all =
        snapshot.endpoints().stream()
            .map(e -> e.entry().descendants().most())
            .collect(Collectors.toSet());
    List<Map<String, Object>> endpoints = new ArrayList<>();
    for (EndpointSpec endpoint : snapshot.endpoints()) {
      Map<String, Object> shown = new LinkedHashMap<>(endpoint.entry().shown());
      if (all.size() > 1) {
        shown.put(most, endpoint.entry().descendants().most());
      }
      endpoints.add(shown);
    }
    file.put("endpoints", endpoints);
    if (all.size() == 1) {
      file.put("defaults", Map.of(most, all.iterator().next()));
    }
    if (!snapshot.providers().isEmpty()) {
      file.put(ProviderNames.KEY, snapshot.providers());
    }
    Map<String, Object> models = models(snapshot);
    if (!models.isEmpty()) {
      file.put("models", models);
    }
    if (!snapshot.keys().isEmpty()) {
      file.put("keys", snapshot.keys().stream().map(KeyBuilder::shown).toList());
    }
    if (!snapshot.groups().isEmpty()) {
      file.put("groups", snapshot.groups().stream().map(group -> shown(group, snapshot)).toList());
    }
    ConfigurationSnapshot.Server server = snapshot.server();
    if (server != null) {
      file.put(RlsCompatibility.SERVER, shown(server));
    }
    return file;
  }

  private static Map<String, Object> shown(GroupSpec group, ConfigurationSnapshot snapshot) {
    Map<String, Object> shown = new LinkedHashMap<>(GroupSettings.shown(group));
    return SharingSetting.with(shown, snapshot.sharing(), Kind.GROUP, group.name());
  }

  /**
   * Collects the settings of models; fallbacks are taken from endpoints, each of which has those of
   * all files.
   */
  private static Map<String, Object> models(ConfigurationSnapshot snapshot) {
    Map<String, Map<String, Object>> models = new TreeMap<>();
    snapshot.models().forEach((name, model) -> models.put(name, ModelSettings.shown(model)));
    Map<String, EndpointSpec.Fallback> fallbacks = new HashMap<>();
    snapshot.endpoints().forEach(each -> fallbacks.putAll(each.forwarding().fallbacks()));
    fallbacks.forEach(
        (name, fallback) ->
            models.computeIfAbsent(name, any -> new LinkedHashMap<>()).putAll(shown(fallback)));
    for (SharingTerms.Owner owner : snapshot.sharing().modes().keySet()) {
      if (owner.kind() == Kind.MODEL) {
        Map<String, Object> shown =
            models.computeIfAbsent(owner.id(), any -> new LinkedHashMap<>());
        SharingSetting.with(shown, snapshot.sharing(), Kind.MODEL, owner.id());
      }
    }
    return new TreeMap<>(models);
  }

  private static Map<String, Object> shown(EndpointSpec.Fallback fallback) {
    return ValueShape.keywords(
        ModelSettings.FALLBACK.name(),
        fallback.models(),
        ModelSettings.FALLBACK_AFTER.name(),
        ModelSettings.FALLBACK_AFTER.shape().show(fallback.afterNanos()));
  }

  private static Map<String, Object> shown(ConfigurationSnapshot.Server server) {
    Map<String, Object> shown = new LinkedHashMap<>();
    if (server.host() != null) {
      shown.put(RlsCompatibility.HOST.name(), server.host());
    }
    if (server.port() != null) {
      shown.put(RlsCompatibility.PORT.name(), server.port());
    }
    return shown;
  }

  /**
   * Returns the JSON Schema (draft 2020-12) of route files, generated from the parser's own tables.
   */
  public static String schema() {
    Map<String, Object> schema = new LinkedHashMap<>();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", "Penstock route file");
    Map<String, Object> properties = new LinkedHashMap<>();
    properties.put(
        "defaults",
        described(
            "Settings of the endpoints of this file that do not set them themselves.",
            SectionSchema.of(EndpointSettings.DEFAULTS)));
    properties.put(
        "endpoints",
        described("Paths with their queue, limit and upstreams.", list(EndpointSettings.TABLE)));
    properties.put(
        "models",
        described(
            "Quotas, prices, contexts and fallbacks of models, by the names that clients use.",
            ValueShape.keywords(
                "type", "object", "additionalProperties", SectionSchema.of(ModelSettings.TABLE))));
    properties.put(ProviderNames.KEY, new ProviderNames().schema());
    properties.put(
        "keys", described("Keys of clients, with their limits.", list(KeySettings.TABLE)));
    properties.put(
        "groups", described("Limits that several keys share.", list(GroupSettings.TABLE)));
    properties.put(
        RlsCompatibility.SERVER,
        described(
            "The address to listen on; a file with this block is a configuration of rls.",
            SectionSchema.of(RlsCompatibility.SERVER_TABLE)));
    schema.putAll(SectionSchema.object(properties));
    String fromEnvironment = "Taken from the environment: ${NAME} or ${NAME:default}.";
    schema.put(
        "$defs",
        ValueShape.keywords(
            "variable",
            ValueShape.keywords(
                "description",
                fromEnvironment,
                "type",
                "string",
                "pattern",
                VariableExpansion.PATTERN)));
    return JSON.writeValueAsString(schema);
  }

  private static Map<String, Object> described(String description, Map<String, Object> section) {
    Map<String, Object> schema = ValueShape.keywords("description", description);
    schema.putAll(section);
    return schema;
  }

  private static Map<String, Object> list(List<RouteSetting<?>> table) {
    return ValueShape.keywords("type", "array", "items", SectionSchema.of(table));
  }
}
