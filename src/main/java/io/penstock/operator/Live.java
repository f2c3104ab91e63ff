package io.penstock.operator;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What changed since a reader looked last: all who look share one look at the endpoints, however
 * many they are, and each is told what is new to it. For one thread at a time.
 */
final class Live {
  /** Endpoints that went are remembered until there are so many; then all is told anew. */
  private static final int MOST_REMOVED = 1_000;

  /**
   * One row.
   *
   * @param json what is told of it
   * @param since the look that found it changed
   */
  record Row(LiveRow row, String json, long since) {}

  /**
   * How all was at one look.
   *
   * @param number of the look, from 1
   * @param removedSince from which look on {@code removed} tells all
   */
  record Look(
      long number,
      List<Row> rows,
      Map<String, Long> removed,
      long removedSince,
      String upstreams,
      String instance) {

    /**
     * Returns what is new of endpoints since another look, as JSON; null when nothing is.
     *
     * @param last the number of that look; 0 for none
     */
    @Nullable String news(long last) {
      boolean whole = last == 0 || last < removedSince;
      List<String> changed =
          rows.stream().filter(row -> whole || row.since() > last).map(Row::json).toList();
      List<String> gone =
          removed.entrySet().stream()
              .filter(each -> !whole && each.getValue() > last)
              .map(Map.Entry::getKey)
              .toList();
      return !whole && changed.isEmpty() && gone.isEmpty()
          ? null
          : "{\"whole\":%s,\"removed\":%s,\"rows\":[%s]}"
              .formatted(whole, Json.text(gone), String.join(",", changed));
    }
  }

  private final Supplier<List<EndpointView>> endpoints;
  private final RecentWaits waits;
  private final Supplier<String> upstreams;
  private final Supplier<String> instance;
  private final Map<String, Row> rows = new HashMap<>();
  private final Map<String, Long> removed = new HashMap<>();
  private long removedSince;
  private long number;

  /**
   * Has looked at nothing yet.
   *
   * @param upstreams what is told of them, as JSON
   * @param instance what is told of this gateway, as JSON
   */
  Live(
      Supplier<List<EndpointView>> endpoints,
      RecentWaits waits,
      Supplier<String> upstreams,
      Supplier<String> instance) {
    this.endpoints = endpoints;
    this.waits = waits;
    this.upstreams = upstreams;
    this.instance = instance;
  }

  /** Looks at everything. */
  Look look() {
    number++;
    Set<String> seen = new HashSet<>();
    for (EndpointView endpoint : endpoints.get()) {
      seen.add(endpoint.path());
      see(LiveRow.of(endpoint, waits.of(endpoint.path())));
    }
    forget(seen);
    return new Look(
        number,
        List.copyOf(rows.values()),
        Map.copyOf(removed),
        removedSince,
        upstreams.get(),
        instance.get());
  }

  private void see(LiveRow now) {
    Row before = rows.get(now.path());
    if (before == null || !before.row().equals(now)) {
      rows.put(now.path(), new Row(now, Json.text(now), number));
      removed.remove(now.path());
    }
  }

  private void forget(Set<String> seen) {
    if (rows.size() > seen.size()) {
      for (String path : List.copyOf(rows.keySet())) {
        if (!seen.contains(path)) {
          rows.remove(path);
          removed.put(path, number);
        }
      }
      waits.keep(seen);
    }
    if (removed.size() > MOST_REMOVED) {
      removed.clear();
      removedSince = number;
    }
  }
}
