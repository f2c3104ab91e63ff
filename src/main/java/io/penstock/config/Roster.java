package io.penstock.config;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.key.GroupSpec;
import io.penstock.key.KeySpec;
import io.penstock.sharing.LimitId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** The keys and groups of all files, under construction. Not thread-safe. */
final class Roster {
  /** A key, and the places of its {@code group} and {@code endpoints} settings. */
  private record Entry(KeySpec key, Place group, Place endpoints) {}

  private final Faults faults;
  private final SharingSetting sharing;
  private final Map<String, Place> names = new HashMap<>();
  private final Map<String, Place> secrets = new HashMap<>();
  private final Map<String, Place> groupNames = new HashMap<>();
  private final Map<String, Entry> keys = new TreeMap<>();
  private final Map<String, GroupSpec> groups = new TreeMap<>();

  Roster(Faults faults, SharingSetting sharing) {
    this.faults = faults;
    this.sharing = sharing;
  }

  /** Adds the key described by a section, or faults. */
  void key(Section section) {
    Values values = Values.of(KeySettings.TABLE, section);
    KeyBuilder.check(values, faults);
    if (values.usable(KeySettings.NAME)) {
      once(names, "key", values, KeySettings.NAME);
    }
    if (values.usable(KeySettings.SHA256)) {
      Place place = values.place(KeySettings.SHA256);
      Place first = secrets.putIfAbsent(values.get(KeySettings.SHA256), place);
      if (first != null) {
        faults.add(place, "sha256 is that of the key at " + first + ", expected another secret");
      }
    }
    if (values.usable()) {
      KeySpec key = KeyBuilder.build(values);
      sharing.note(LimitId.Kind.KEY, key.name(), values);
      Place group = values.place(KeySettings.GROUP);
      keys.putIfAbsent(
          key.name(), new Entry(key, group, values.place(KeySettings.ALLOWED_ENDPOINTS)));
    }
  }

  /** Adds the group described by a section, or faults. */
  void group(Section section) {
    Values values = Values.of(GroupSettings.TABLE, section);
    if (values.usable(GroupSettings.NAME)) {
      once(groupNames, "group", values, GroupSettings.NAME);
    }
    if (values.usable()) {
      sharing.note(LimitId.Kind.GROUP, values.get(GroupSettings.NAME), values);
      groups.putIfAbsent(values.get(GroupSettings.NAME), GroupSettings.group(values));
    }
  }

  private void once(Map<String, Place> seen, String what, Values values, Setting<String> name) {
    Place first = seen.putIfAbsent(values.get(name), values.place(name));
    if (first != null) {
      faults.add(
          values.place(name),
          "%s %s is there at %s already, expected it once"
              .formatted(what, Scalar.quote(values.get(name)), first));
    }
  }

  /**
   * Adds faults for unknown groups and warnings for unknown endpoints of keys. Call it after all
   * files.
   */
  void check(Collection<EndpointSpec> endpoints, BiConsumer<Place, String> warn) {
    for (Entry entry : keys.values()) {
      String group = entry.key().group();
      if (group != null && !groupNames.containsKey(group)) {
        faults.add(entry.group(), "group " + Scalar.quote(group) + " " + missing(group));
      }
      if (entry.key().scope().endpoints() != null) {
        for (String path : entry.key().scope().endpoints().stream().sorted().toList()) {
          if (endpoints.stream().noneMatch(endpoint -> covers(endpoint, path))) {
            warn.accept(
                entry.endpoints(),
                "no endpoint has path %s, which key %s may use"
                    .formatted(Scalar.quote(path), Scalar.quote(entry.key().name())));
          }
        }
      }
    }
  }

  private String missing(String group) {
    return "is not there, "
        + Nearest.nearest(group, List.copyOf(groupNames.keySet()))
            .map(near -> "did you mean '" + near + "'?")
            .orElse("expected one of groups");
  }

  /** Returns whether a path belongs to an endpoint, or may become a dynamic endpoint below it. */
  private static boolean covers(EndpointSpec endpoint, String path) {
    String above = endpoint.path().length() == 1 ? "/" : endpoint.path() + "/";
    return path.equals(endpoint.path())
        || (endpoint.descendants().dynamic() && path.startsWith(above));
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
