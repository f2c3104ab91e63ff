package io.penstock.config;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.Tag;

/** Reads the top level of a route file, and builds its endpoints. */
final class TopLevel {
  private static final String DEFAULTS = "defaults";
  private static final String ENDPOINTS = "endpoints";
  private static final String MODELS = "models";
  private static final String KEYS = "keys";
  private static final String GROUPS = "groups";
  private static final List<String> ALL =
      List.of(DEFAULTS, ENDPOINTS, MODELS, KEYS, GROUPS, Providers.KEY, Rls.SERVER);
  private static final Listing KEY_LIST = new Listing("key", KeySettings.TABLE, true);
  private static final Listing GROUP_LIST = new Listing("group", GroupSettings.TABLE);
  private static final Listing ENDPOINT_LIST = new Listing("endpoint", EndpointSettings.TABLE);

  private final Source source;
  private final Place start;
  private Section defaults;
  private List<Section> endpoints = List.of();

  TopLevel(Source source) {
    this.source = source;
    this.start = Place.startOf(source.file());
    this.defaults = Section.empty(start);
  }

  /** Reads {@code root}; an empty file has none. */
  void read(Optional<MappingNode> root) {
    Set<String> seen = new HashSet<>();
    root.map(source::entries).orElse(List.of()).forEach(entry -> entry(entry, seen));
    endpoints.forEach(this::build);
    if (source.rls()) {
      source.draft().rls(() -> build(Rls.root(start, defaults)));
    }
  }

  private void entry(NodeTuple entry, Set<String> seen) {
    String key = Section.uniqueKey(entry.getKeyNode(), seen, source).orElse("");
    Node value = entry.getValueNode();
    if (key.isEmpty() || (source.rls() && value.getTag().equals(Tag.NULL))) {
      return; // already has a fault, or is empty
    }
    switch (key) {
      case DEFAULTS -> {
        List<Setting<?>> table = source.rls() ? Rls.DEFAULTS : EndpointSettings.DEFAULTS;
        defaults = section(value, key, table).orElse(defaults);
      }
      case ENDPOINTS -> endpoints = ENDPOINT_LIST.read(value, source, key).orElse(List.of());
      case MODELS -> source.mapping(value, key, "a mapping of models").ifPresent(this::models);
      case KEYS ->
          KEY_LIST.read(value, source, key).orElse(List.of()).forEach(source.draft().roster()::key);
      case GROUPS ->
          GROUP_LIST
              .read(value, source, key)
              .orElse(List.of())
              .forEach(source.draft().roster()::group);
      case Providers.KEY ->
          new Providers().read(value, source, key).ifPresent(source.draft()::providers);
      case Rls.SERVER ->
          section(value, key, Rls.SERVER_TABLE).ifPresent(server -> source.draft().listen(server));
      default -> source.unknown(entry.getKeyNode(), unknown(key));
    }
  }

  private void models(MappingNode models) {
    Set<String> seen = new HashSet<>();
    for (NodeTuple entry : source.entries(models)) {
      Optional<String> name =
          Section.uniqueKey(entry.getKeyNode(), seen, source)
              .flatMap(key -> Models.model(entry.getKeyNode(), source));
      Optional<Section> section = section(entry.getValueNode(), "a model", ModelSettings.TABLE);
      if (name.isPresent() && section.isPresent() && !section.get().broken()) {
        source.draft().model(name.get(), section.get(), source.place(entry.getKeyNode()));
      }
    }
  }

  private Optional<Section> section(Node value, String key, List<Setting<?>> table) {
    return source
        .mapping(value, key, "a mapping of settings")
        .map(node -> Section.read(node, table, source));
  }

  private void build(Section endpoint) {
    new EndpointBuilder(Values.ofEndpoint(endpoint, defaults), source).build();
  }

  private static String unknown(String key) {
    return "unknown key "
        + Scalar.quote(key)
        + Nearest.nearest(key, ALL)
            .map(near -> ", did you mean '" + near + "'?")
            .orElse(", expected defaults, endpoints, models, providers, keys or groups");
  }
}
