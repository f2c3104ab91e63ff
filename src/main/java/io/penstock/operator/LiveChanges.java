package io.penstock.operator;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * Computes what changed since each reader's last update. All readers share one snapshot of the
 * endpoints, however many readers there are, and each gets the changes since the snapshot it saw
 * last. For one thread at a time.
 */
final class LiveChanges {
  /** Number of removed endpoints that are remembered; beyond it, everything is sent anew. */
  private static final int MOST_REMOVED = 1_000;

  /**
   * One row.
   *
   * @param json the row as sent to readers
   * @param since number of the snapshot in which it last changed
   */
  record Row(ObjectNode row, String json, long since) {}

  /**
   * State of everything at one moment.
   *
   * @param number sequence number of the snapshot, from 1
   * @param removedSince number of the snapshot from which on {@code removed} is complete
   */
  record Snapshot(
      long number,
      List<Row> rows,
      Map<String, Long> removed,
      long removedSince,
      String upstreams,
      String instance) {

    /**
     * Returns the changes of endpoints since an earlier snapshot, as JSON; null if there are none.
     *
     * @param last number of that snapshot; 0 for none
     */
    @Nullable String news(long last) {
      boolean whole = last == 0 || last < removedSince;
      List<String> changed =
          rows.stream().filter(row -> whole || row.since() > last).map(Row::json).toList();
      List<String> leftOut =
          removed.entrySet().stream()
              .filter(each -> !whole && each.getValue() > last)
              .map(Map.Entry::getKey)
              .toList();
      return !whole && changed.isEmpty() && leftOut.isEmpty()
          ? null
          : "{\"whole\":%s,\"removed\":%s,\"rows\":[%s]}"
              .formatted(whole, OperatorJson.text(leftOut), String.join(",", changed));
    }
  }

  private final Supplier<List<ObjectNode>> endpoints;
  private final Supplier<String> upstreams;
  private final Supplier<String> instance;
  private final Map<String, Row> rows = new HashMap<>();
  private final Map<String, Long> removed = new HashMap<>();
  private long removedSince;
  private long number;

  /**
   * Creates an object that has taken no snapshot yet.
   *
   * @param upstreams supplies the state of the upstreams, as JSON
   * @param instance supplies the state of this gateway, as JSON
   */
  LiveChanges(
      Supplier<List<ObjectNode>> endpoints, Supplier<String> upstreams, Supplier<String> instance) {
    this.endpoints = endpoints;
    this.upstreams = upstreams;
    this.instance = instance;
  }

  /** Takes a snapshot of everything. */
  Snapshot takeSnapshot() {
    number++;
    Set<String> seen = new HashSet<>();
    for (ObjectNode row : endpoints.get()) {
      String path = row.path("path").asString();
      seen.add(path);
      see(path, row);
    }
    forget(seen);
    return new Snapshot(
        number,
        List.copyOf(rows.values()),
        Map.copyOf(removed),
        removedSince,
        upstreams.get(),
        instance.get());
  }

  private void see(String path, ObjectNode now) {
    Row before = rows.get(path);
    if (before == null || !before.row().equals(now)) {
      rows.put(path, new Row(now, OperatorJson.text(now), number));
      removed.remove(path);
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
    }
    if (removed.size() > MOST_REMOVED) {
      removed.clear();
      removedSince = number;
    }
  }
}
