package io.penstock.region;

import io.penstock.region.RegionTable.Row;
import io.penstock.sharing.DenialStore;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Denials in the table {@code ratelimit_blocklist}, in which rows never change. Thread-safe.
 *
 * <p>The clocks of regions differ, and rows take time to be replicated, so that a new row may be
 * older than the cursor. Each read therefore begins {@link TableCursor#OVERLAP_MILLIS} before the
 * cursor, and returns each row only once.
 */
final class DenialRows implements DenialStore {
  private final RegionDatabase database;
  private final RegionTable table;
  private final WallClock clock;

  /** Rows already returned, by reading region. */
  private final Map<String, Set<Row>> returnedRows = new ConcurrentHashMap<>();

  DenialRows(RegionDatabase database, String workspace, WallClock clock) {
    this.database = database;
    this.table =
        new RegionTable("ratelimit_blocklist", "`limit`", "`limit` = `limit`", workspace, clock);
    this.clock = clock;
  }

  @Override
  public CompletionStage<Void> publish(String region, List<Denial> denials) {
    List<Row> rows = denials.stream().map(denial -> row(region, denial)).toList();
    return database
        .with(
            client -> {
              table.write(client, rows);
              return rows;
            })
        .thenAccept(written -> {});
  }

  private Row row(String region, Denial denial) {
    return new Row(
        denial.namespace(),
        denial.identifier(),
        denial.durationMillis(),
        denial.sequence(),
        region,
        denial.limit(),
        clock.unixMillis());
  }

  @Override
  public CompletionStage<Page> since(String region, long cursor) {
    Set<Row> known = returnedRows.computeIfAbsent(region, none -> ConcurrentHashMap.newKeySet());
    long from = cursor == Page.START ? 0 : cursor - TableCursor.OVERLAP_MILLIS;
    return database
        .with(client -> table.ofOthers(client, region, from))
        .thenApply(rows -> page(rows, cursor, known));
  }

  private Page page(List<Row> rows, long cursor, Set<Row> known) {
    long newest = cursor;
    long now = clock.unixMillis();
    List<Denial> denials = new ArrayList<>();
    for (Row row : rows) {
      Denial denial = denial(row);
      if (denial != null) {
        // Capped at the local time: a clock that is ahead must not hide the rows of other regions.
        newest = Math.max(newest, Math.min(row.changedMillis(), now));
        if (known.add(row) || cursor == Page.START) {
          denials.add(denial);
        }
      }
    }
    known.removeIf(row -> row.expiresAtMillis() <= now);
    return new Page(denials, newest);
  }

  /** Returns the denial of a row, or null when it is not a valid one. */
  private static @Nullable Denial denial(Row row) {
    try {
      return new Denial(
          row.namespace(), row.identifier(), row.durationMillis(), row.sequence(), row.amount());
    } catch (IllegalArgumentException none) {
      return null;
    }
  }
}
