package io.penstock.config;

import io.penstock.config.shape.EffectiveValues;
import io.penstock.config.shape.FileSection;
import io.penstock.config.shape.RouteSetting;
import io.penstock.config.shape.ScalarValue;
import io.penstock.config.shape.SourcePlace;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeySpec;
import io.penstock.sharing.LimitId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The keys and groups of all files, under construction. Not thread-safe. */
final class KeyRoster {
  /** A key, and the places of the settings that name something else. */
  private record Entry(KeySpec key, SourcePlace group, SourcePlace models, SourcePlace endpoints) {}

  private final FaultCollector faultCollector;
  private final SharingSetting sharing;
  private final Map<String, SourcePlace> names = new HashMap<>();
  private final Map<String, SourcePlace> secrets = new HashMap<>();
  private final Map<String, SourcePlace> groupNames = new HashMap<>();
  private final Map<String, Entry> keys = new TreeMap<>();
  private final Map<String, GroupSpec> groups = new TreeMap<>();

  KeyRoster(FaultCollector faultCollector, SharingSetting sharing) {
    this.faultCollector = faultCollector;
    this.sharing = sharing;
  }

  /** Adds the key described by a section, or faults. */
  void key(FileSection fileSection) {
    EffectiveValues effectiveValues = EffectiveValues.of(KeySettings.TABLE, fileSection);
    KeyBuilder.check(effectiveValues, faultCollector);
    if (effectiveValues.usable(KeySettings.NAME)) {
      once(names, "key", effectiveValues, KeySettings.NAME);
    }
    if (effectiveValues.usable(KeySettings.SHA256)) {
      SourcePlace sourcePlace = effectiveValues.place(KeySettings.SHA256);
      SourcePlace first = secrets.putIfAbsent(effectiveValues.get(KeySettings.SHA256), sourcePlace);
      if (first != null) {
        faultCollector.add(
            sourcePlace, "sha256 is that of the key at " + first + ", expected another secret");
      }
    }
    if (effectiveValues.usable()) {
      KeyBuilder.build(effectiveValues, faultCollector)
          .ifPresent(key -> keep(key, effectiveValues));
    }
  }

  private void keep(KeySpec key, EffectiveValues effectiveValues) {
    sharing.note(LimitId.Kind.KEY, key.name(), effectiveValues);
    SourcePlace group = effectiveValues.place(KeySettings.GROUP);
    keys.putIfAbsent(
        key.name(),
        new Entry(
            key,
            group,
            effectiveValues.place(KeySettings.ALLOWED_MODELS),
            effectiveValues.place(KeySettings.ALLOWED_ENDPOINTS)));
  }

  /** Adds the group described by a section, or faults. */
  void group(FileSection fileSection) {
    EffectiveValues effectiveValues = EffectiveValues.of(GroupSettings.TABLE, fileSection);
    if (effectiveValues.usable(GroupSettings.NAME)) {
      once(groupNames, "group", effectiveValues, GroupSettings.NAME);
    }
    if (effectiveValues.usable()) {
      sharing.note(LimitId.Kind.GROUP, effectiveValues.get(GroupSettings.NAME), effectiveValues);
      groups.putIfAbsent(
          effectiveValues.get(GroupSettings.NAME), GroupSettings.group(effectiveValues));
    }
  }

  private void once(
      Map<String, SourcePlace> seen,
      String what,
      EffectiveValues effectiveValues,
      RouteSetting<String> name) {
    SourcePlace first = seen.putIfAbsent(effectiveValues.get(name), effectiveValues.place(name));
    if (first != null) {
      faultCollector.add(
          effectiveValues.place(name),
          "%s %s is there at %s already, expected it once"
              .formatted(what, ScalarValue.quote(effectiveValues.get(name)), first));
    }
  }

  /**
   * Adds faults for unknown groups and warnings for unknown models and endpoints of keys. Call it
   * after all files.
   */
  void check(
      Collection<EndpointSpec> endpoints,
      ServedModels served,
      BiConsumer<SourcePlace, String> warn) {
    for (Entry entry : keys.values()) {
      String group = entry.key().terms().group();
      if (group != null && !groupNames.containsKey(group)) {
        faultCollector.add(
            entry.group(), "group " + ScalarValue.quote(group) + " " + missing(group));
      }
      String may = ", which key " + ScalarValue.quote(entry.key().name()) + " may use";
      for (String model : sorted(entry.key().terms().scope().models())) {
        served
            .problem(model)
            .ifPresent(problem -> warn.accept(entry.models(), "allowed_models: " + problem));
      }
      for (String path : sorted(entry.key().terms().scope().endpoints())) {
        if (endpoints.stream().noneMatch(endpoint -> covers(endpoint, path))) {
          warn.accept(
              entry.endpoints(),
              "no endpoint has path " + ScalarValue.quote(path) + may + advice(path, endpoints));
        }
      }
    }
  }

  private static String advice(String path, Collection<EndpointSpec> endpoints) {
    if (path.contains("*")) {
      return ": paths are compared as they stand, expected one, which includes those below it";
    }
    return NearestName.nearest(path, endpoints.stream().map(EndpointSpec::path).toList())
        .map(near -> ", did you mean '" + near + "'?")
        .orElse(", expected the path of one of endpoints");
  }

  private static List<String> sorted(@Nullable Set<String> names) {
    return names == null ? List.of() : names.stream().sorted().toList();
  }

  private String missing(String group) {
    return "is not there, "
        + NearestName.nearest(group, List.copyOf(groupNames.keySet()))
            .map(near -> "did you mean '" + near + "'?")
            .orElse("expected one of groups");
  }

  /** Returns whether a path belongs to an endpoint, or may become a dynamic endpoint below it. */
  private static boolean covers(EndpointSpec endpoint, String path) {
    String above = endpoint.path().length() == 1 ? "/" : endpoint.path() + "/";
    return path.equals(endpoint.path())
        || (endpoint.entry().descendants().dynamic() && path.startsWith(above));
  }

  /** Returns the keys, sorted by name. */
  List<KeySpec> keys() {
    return keys.values().stream().map(Entry::key).toList();
  }

  /** Returns the groups, sorted by name. */
  List<GroupSpec> groups() {
    return List.copyOf(groups.values());
  }
}
