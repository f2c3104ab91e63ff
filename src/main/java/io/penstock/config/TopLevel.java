package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.ModelsSetting;
import io.penstock.config.shape.ProviderNames;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import io.penstock.config.shape.SectionList;
import io.penstock.config.shape.SourceFile;
import io.penstock.config.shape.SourcePlace;
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
      List.of(
          DEFAULTS, ENDPOINTS, MODELS, KEYS, GROUPS, ProviderNames.KEY, RlsCompatibility.SERVER);
  private static final SectionList KEY_LIST = new SectionList("key", KeySettings.TABLE, true);
  private static final SectionList GROUP_LIST = new SectionList("group", GroupSettings.TABLE);
  private static final SectionList ENDPOINT_LIST =
      new SectionList("endpoint", EndpointSettings.TABLE);

  private final SourceFile source;
  private final ConfigurationDraft draft;
  private final SourcePlace start;
  private FileSection defaults;
  private List<FileSection> endpoints = List.of();

  TopLevel(SourceFile source, ConfigurationDraft draft) {
    this.source = source;
    this.draft = draft;
    this.start = SourcePlace.startOf(source.file());
    this.defaults = FileSection.empty(start);
  }

  /** Reads {@code root}; an empty file has none. */
  void read(Optional<MappingNode> root) {
    Set<String> seen = new HashSet<>();
    root.map(source::entries).orElse(List.of()).forEach(entry -> entry(entry, seen));
    endpoints.forEach(this::build);
    if (source.rls()) {
      draft.rls(() -> build(RlsCompatibility.root(start, defaults)));
    }
  }

  private void entry(NodeTuple entry, Set<String> seen) {
    String key = FileSection.uniqueKey(entry.getKeyNode(), seen, source).orElse("");
    Node value = entry.getValueNode();
    if (key.isEmpty() || (source.rls() && value.getTag().equals(Tag.NULL))) {
      return; // already has a fault, or is empty
    }
    switch (key) {
      case DEFAULTS -> {
        List<RouteSetting<?>> table =
            source.rls() ? RlsCompatibility.DEFAULTS : EndpointSettings.DEFAULTS;
        defaults = section(value, key, table).orElse(defaults);
      }
      case ENDPOINTS -> endpoints = ENDPOINT_LIST.read(value, source, key).orElse(List.of());
      case MODELS -> source.mapping(value, key, "a mapping of models").ifPresent(this::models);
      case KEYS -> KEY_LIST.read(value, source, key).orElse(List.of()).forEach(draft.roster()::key);
      case GROUPS ->
          GROUP_LIST.read(value, source, key).orElse(List.of()).forEach(draft.roster()::group);
      case ProviderNames.KEY ->
          new ProviderNames().read(value, source, key).ifPresent(draft::providers);
      case RlsCompatibility.SERVER ->
          section(value, key, RlsCompatibility.SERVER_TABLE)
              .ifPresent(server -> draft.listen(server));
      default -> source.unknown(entry.getKeyNode(), unknown(key));
    }
  }

  private void models(MappingNode models) {
    Set<String> seen = new HashSet<>();
    for (NodeTuple entry : source.entries(models)) {
      Optional<String> name =
          FileSection.uniqueKey(entry.getKeyNode(), seen, source)
              .flatMap(key -> ModelsSetting.model(entry.getKeyNode(), source));
      Optional<FileSection> section = section(entry.getValueNode(), "a model", ModelSettings.TABLE);
      if (name.isPresent() && section.isPresent() && !section.get().broken()) {
        draft.model(name.get(), section.get(), source.place(entry.getKeyNode()));
      }
    }
  }

  private Optional<FileSection> section(Node value, String key, List<RouteSetting<?>> table) {
    return source
        .mapping(value, key, "a mapping of settings")
        .map(node -> FileSection.read(node, table, source));
  }

  private void build(FileSection endpoint) {
    new EndpointBuilder(
            EffectiveValues.withDefaults(EndpointSettings.TABLE, endpoint, defaults, source.rls()),
            draft)
        .build();
  }

  private static String unknown(String key) {
    return "unknown key "
        + ScalarValue.quote(key)
        + NearestName.nearest(key, ALL)
            .map(near -> ", did you mean '" + near + "'?")
            .or(() -> UnknownKeys.elsewhere(key))
            .orElse(", expected defaults, endpoints, models, providers, keys or groups");
  }
}
