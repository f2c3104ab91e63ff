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
      List.of(
          DEFAULTS, ENDPOINTS, MODELS, KEYS, GROUPS, ProviderNames.KEY, RlsCompatibility.SERVER);
  private static final SectionList KEY_LIST = new SectionList("key", KeySettings.TABLE, true);
  private static final SectionList GROUP_LIST = new SectionList("group", GroupSettings.TABLE);
  private static final SectionList ENDPOINT_LIST =
      new SectionList("endpoint", EndpointSettings.TABLE);

  private final SourceFile sourceFile;
  private final SourcePlace start;
  private FileSection defaults;
  private List<FileSection> endpoints = List.of();

  TopLevel(SourceFile sourceFile) {
    this.sourceFile = sourceFile;
    this.start = SourcePlace.startOf(sourceFile.file());
    this.defaults = FileSection.empty(start);
  }

  /** Reads {@code root}; an empty file has none. */
  void read(Optional<MappingNode> root) {
    Set<String> seen = new HashSet<>();
    root.map(sourceFile::entries).orElse(List.of()).forEach(entry -> entry(entry, seen));
    endpoints.forEach(this::build);
    if (sourceFile.rls()) {
      sourceFile.draft().rls(() -> build(RlsCompatibility.root(start, defaults)));
    }
  }

  private void entry(NodeTuple entry, Set<String> seen) {
    String key = FileSection.uniqueKey(entry.getKeyNode(), seen, sourceFile).orElse("");
    Node value = entry.getValueNode();
    if (key.isEmpty() || (sourceFile.rls() && value.getTag().equals(Tag.NULL))) {
      return; // already has a fault, or is empty
    }
    switch (key) {
      case DEFAULTS -> {
        List<RouteSetting<?>> table =
            sourceFile.rls() ? RlsCompatibility.DEFAULTS : EndpointSettings.DEFAULTS;
        defaults = section(value, key, table).orElse(defaults);
      }
      case ENDPOINTS -> endpoints = ENDPOINT_LIST.read(value, sourceFile, key).orElse(List.of());
      case MODELS -> sourceFile.mapping(value, key, "a mapping of models").ifPresent(this::models);
      case KEYS ->
          KEY_LIST
              .read(value, sourceFile, key)
              .orElse(List.of())
              .forEach(sourceFile.draft().roster()::key);
      case GROUPS ->
          GROUP_LIST
              .read(value, sourceFile, key)
              .orElse(List.of())
              .forEach(sourceFile.draft().roster()::group);
      case ProviderNames.KEY ->
          new ProviderNames().read(value, sourceFile, key).ifPresent(sourceFile.draft()::providers);
      case RlsCompatibility.SERVER ->
          section(value, key, RlsCompatibility.SERVER_TABLE)
              .ifPresent(server -> sourceFile.draft().listen(server));
      default -> sourceFile.unknown(entry.getKeyNode(), unknown(key));
    }
  }

  private void models(MappingNode models) {
    Set<String> seen = new HashSet<>();
    for (NodeTuple entry : sourceFile.entries(models)) {
      Optional<String> name =
          FileSection.uniqueKey(entry.getKeyNode(), seen, sourceFile)
              .flatMap(key -> ModelsSetting.model(entry.getKeyNode(), sourceFile));
      Optional<FileSection> section = section(entry.getValueNode(), "a model", ModelSettings.TABLE);
      if (name.isPresent() && section.isPresent() && !section.get().broken()) {
        sourceFile.draft().model(name.get(), section.get(), sourceFile.place(entry.getKeyNode()));
      }
    }
  }

  private Optional<FileSection> section(Node value, String key, List<RouteSetting<?>> table) {
    return sourceFile
        .mapping(value, key, "a mapping of settings")
        .map(node -> FileSection.read(node, table, sourceFile));
  }

  private void build(FileSection endpoint) {
    new EndpointBuilder(EffectiveValues.ofEndpoint(endpoint, defaults), sourceFile).build();
  }

  private static String unknown(String key) {
    return "unknown key "
        + ScalarValue.quote(key)
        + NearestName.nearest(key, ALL)
            .map(near -> ", did you mean '" + near + "'?")
            .orElse(", expected defaults, endpoints, models, providers, keys or groups");
  }
}
