package io.penstock.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Results of simulated schedules, in one row for each kind. */
final class ProgressTable {
  private static final class Row {
    private int drawn;
    private int granted;
    private final List<Double> used = new ArrayList<>();
    private final List<Double> served = new ArrayList<>();
    private long silenceNanos;
  }

  private final Map<String, Row> rows = new TreeMap<>();

  /** Creates a table without rows. */
  ProgressTable() {}

  /**
   * Adds a schedule to those of its kind.
   *
   * @param granted whether anything was released
   * @param used the fraction of the limit that was used while there was demand for it, null if
   *     there was none
   * @param silenceNanos the longest time without a release while a ticket waited
   */
  void add(String kind, boolean granted, @Nullable Double used, long silenceNanos) {
    Row row = rows.computeIfAbsent(kind, absent -> new Row());
    row.drawn++;
    row.granted += granted ? 1 : 0;
    row.silenceNanos = Math.max(row.silenceNanos, silenceNanos);
    if (used != null) {
      row.used.add(used);
      row.used.sort(null);
    }
  }

  /**
   * Adds an outage to those of a kind.
   *
   * @param served what was released a second in it, as a part of what is released otherwise
   */
  void addOutage(String kind, double served) {
    List<Double> all = rows.computeIfAbsent(kind, absent -> new Row()).served;
    all.add(served);
    all.sort(null);
  }

  /** Returns the median of what was released a second in the outages of a kind; 0 without one. */
  double medianServed(String kind) {
    Row row = rows.get(kind);
    return row == null || row.served.isEmpty() ? 0 : row.served.get(row.served.size() / 2);
  }

  /** Returns, by kind, the least fraction used, among schedules with constant demand. */
  Map<String, Double> leastUsed() {
    Map<String, Double> least = new TreeMap<>();
    rows.forEach(
        (kind, row) -> {
          if (!row.used.isEmpty()) {
            least.put(kind, row.used.getFirst());
          }
        });
    return least;
  }

  /** Returns the median fraction used over all kinds; 0 if no schedule had constant demand. */
  double medianUsed() {
    List<Double> all = rows.values().stream().flatMap(row -> row.used.stream()).sorted().toList();
    return all.isEmpty() ? 0 : all.get(all.size() / 2);
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder(
            "%-26s %9s %9s %9s %7s %7s %9s %9s %7s%n"
                .formatted(
                    "",
                    "schedules",
                    "granted",
                    "asked for",
                    "least",
                    "median",
                    "silence",
                    "outages",
                    "served"));
    rows.forEach(
        (kind, row) ->
            text.append(
                "%-26s %9d %9d %9d %7s %7s %6d ms %9d %7s%n"
                    .formatted(
                        kind,
                        row.drawn,
                        row.granted,
                        row.used.size(),
                        share(row.used, 0),
                        share(row.used, row.used.size() / 2),
                        row.silenceNanos / 1_000_000,
                        row.served.size(),
                        share(row.served, row.served.size() / 2))));
    return text.toString();
  }

  private static String share(List<Double> used, int at) {
    return used.isEmpty() ? "-" : "%.1f %%".formatted(100 * used.get(at));
  }
}
