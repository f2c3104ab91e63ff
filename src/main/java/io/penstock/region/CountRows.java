package io.penstock.region;

import io.penstock.region.RegionTable.Row;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.WriterCounts;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Counts in the table {@code ratelimit_counts}, in which amounts only grow. Thread-safe. */
final class CountRows implements CountStore {
  /**
   * The order matters: MariaDB assigns from left to right, and an assignment sees the results of
   * those before it.
   */
  private static final String MERGE =
      "changed_at = IF(VALUES(amount) > amount, VALUES(changed_at), changed_at),"
          + " amount = GREATEST(amount, VALUES(amount))";

  private record Cell(LimitId id, long number) {
    Count count(long amount) {
      return new Count(id, number, amount);
    }
  }

  /** Everything that one writer has read of the other regions. */
  private static final class Heard {
    private final TableCursor cursor = new TableCursor();
    private final Map<Cell, Map<String, Long>> regions = new HashMap<>();

    synchronized long since() {
      return cursor.next();
    }

    synchronized List<Count> merge(List<Row> rows, long unixMillis) {
      for (Row row : rows) {
        Cell cell = cell(row);
        if (cell != null) {
          cursor.advance(row.changedMillis(), unixMillis);
          regions
              .computeIfAbsent(cell, none -> new HashMap<>())
              .merge(row.region(), row.amount(), Math::max);
        }
      }
      regions.keySet().removeIf(cell -> cell.count(0).expiresAtMillis() <= unixMillis);
      List<Count> sums = new ArrayList<>();
      regions.forEach(
          (cell, amounts) ->
              sums.add(cell.count(amounts.values().stream().reduce(0L, WriterCounts::sum))));
      return sums;
    }

    /** Returns the cell of a row, or null when its limit is not known to this program. */
    private static @Nullable Cell cell(Row row) {
      LimitId id = LimitNaming.limit(row.namespace(), row.identifier(), row.durationMillis());
      return id == null || row.amount() < 0 ? null : new Cell(id, row.sequence());
    }
  }

  private final RegionDatabase database;
  private final RegionTable table;
  private final WallClock clock;
  private final Map<String, Heard> readCounts = new ConcurrentHashMap<>();

  CountRows(RegionDatabase database, String workspace, WallClock clock) {
    this.database = database;
    this.table = new RegionTable("ratelimit_counts", "amount", MERGE, workspace, clock);
    this.clock = clock;
  }

  @Override
  public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
    List<Row> rows = new ArrayList<>();
    for (Count count : own) {
      String namespace = LimitNaming.namespace(count.id());
      if (namespace != null) {
        rows.add(row(namespace, writer, count));
      }
    }
    Heard known = readCounts.computeIfAbsent(writer, none -> new Heard());
    return database
        .with(
            client -> {
              table.write(client, rows);
              return table.ofOthers(client, writer, known.since());
            })
        .thenApply(read -> known.merge(read, clock.unixMillis()));
  }

  private Row row(String namespace, String region, Count count) {
    return new Row(
        namespace,
        count.id().owner(),
        LimitNaming.durationMillis(count.id()),
        count.cell(),
        region,
        count.amount(),
        clock.unixMillis());
  }

  /** Returns the counts that a region itself has written so far, as far as they still count. */
  CompletionStage<List<Count>> of(String region) {
    return database
        .with(client -> table.of(client, region))
        .thenApply(rows -> new Heard().merge(rows, clock.unixMillis()));
  }
}
