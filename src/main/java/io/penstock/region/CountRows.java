package io.penstock.region;

import io.penstock.sharing.CountStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.WriterCounts;
import io.penstock.time.WallClock;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts in the table {@code ratelimit_counts}: one row for each region and cell, whose amount only
 * grows. Each region writes only its own rows, in the order of their keys. Thread-safe.
 */
final class CountRows implements CountStore {
  /** Maximum number of rows of one read. */
  private static final int MOST_ROWS = 100_000;

  private static final String WRITE =
      "INSERT INTO ratelimit_counts (workspace, namespace, identifier, duration, sequence, region,"
          + " amount, expires_at, changed_at) VALUES ";
  private static final int COLUMNS = 9;

  /**
   * The order matters: MariaDB assigns from left to right, and an assignment sees the results of
   * those before it.
   */
  private static final String MERGE =
      " ON DUPLICATE KEY UPDATE"
          + " changed_at = IF(VALUES(amount) > amount, VALUES(changed_at), changed_at),"
          + " amount = GREATEST(amount, VALUES(amount))";

  private static final String READ =
      "SELECT namespace, identifier, duration, sequence, region, amount, changed_at"
          + " FROM ratelimit_counts WHERE workspace = ? AND expires_at > ?";
  private static final String OTHERS =
      READ + " AND region <> ? AND changed_at > ? ORDER BY changed_at LIMIT " + MOST_ROWS;
  private static final String OWN = READ + " AND region = ? LIMIT " + MOST_ROWS;

  private static final Comparator<Count> BY_KEY =
      Comparator.comparing((Count count) -> String.valueOf(LimitNaming.namespace(count.id())))
          .thenComparing(count -> LimitNaming.identifier(count.id()))
          .thenComparingLong(count -> count.id().durationNanos())
          .thenComparingLong(Count::cell);

  /** A row as another region wrote it, with the time of the change. */
  private record CountRow(String region, Count count, long changedMillis) {}

  private record Cell(LimitId id, long cell) {}

  /** Everything that one writer has read of the other regions. */
  private static final class Heard {
    private final TableCursor cursor = new TableCursor();
    private final Map<Cell, Map<String, Long>> regions = new HashMap<>();

    synchronized long since() {
      return cursor.next();
    }

    synchronized List<Count> merge(List<CountRow> rows, long unixMillis) {
      for (CountRow countRow : rows) {
        cursor.advance(countRow.changedMillis(), unixMillis);
        Count count = countRow.count();
        regions
            .computeIfAbsent(new Cell(count.id(), count.cell()), none -> new HashMap<>())
            .merge(countRow.region(), count.amount(), Math::max);
      }
      List<Count> sums = new ArrayList<>();
      regions
          .entrySet()
          .removeIf(
              each -> {
                Count sum = sum(each.getKey(), each.getValue());
                boolean over = sum.expiresAtMillis() <= unixMillis;
                if (!over) {
                  sums.add(sum);
                }
                return over;
              });
      return sums;
    }

    private static Count sum(Cell cell, Map<String, Long> regions) {
      return new Count(
          cell.id(), cell.cell(), regions.values().stream().reduce(0L, WriterCounts::sum));
    }
  }

  private final RegionDatabase database;
  private final String workspace;
  private final WallClock clock;
  private final Map<String, Heard> readCounts = new ConcurrentHashMap<>();

  CountRows(RegionDatabase database, String workspace, WallClock clock) {
    this.database = database;
    this.workspace = workspace;
    this.clock = clock;
  }

  @Override
  public CompletionStage<List<Count>> exchange(String writer, List<Count> own) {
    List<Count> sorted =
        own.stream()
            .filter(count -> LimitNaming.namespace(count.id()) != null)
            .sorted(BY_KEY)
            .toList();
    Heard known = readCounts.computeIfAbsent(writer, none -> new Heard());
    return database
        .with(
            connection ->
                write(connection, writer, sorted)
                    .then(Mono.defer(() -> others(connection, writer, known))))
        .thenApply(rows -> known.merge(rows, clock.unixMillis()));
  }

  private Mono<Void> write(Connection connection, String region, List<Count> sorted) {
    return Flux.fromIterable(RowBatches.of(sorted))
        .concatMap(
            batch ->
                RegionDatabase.update(
                    connection,
                    WRITE + RowBatches.places(batch.size(), COLUMNS) + MERGE,
                    values(region, batch)))
        .then();
  }

  private List<Object> values(String region, List<Count> batch) {
    List<Object> values = new ArrayList<>(batch.size() * COLUMNS);
    for (Count count : batch) {
      LimitId id = count.id();
      values.add(workspace);
      values.add(String.valueOf(LimitNaming.namespace(id)));
      values.add(LimitNaming.identifier(id));
      values.add(LimitNaming.durationMillis(id));
      values.add(count.cell());
      values.add(region);
      values.add(count.amount());
      values.add(count.expiresAtMillis());
      values.add(clock.unixMillis());
    }
    return values;
  }

  private Mono<List<CountRow>> others(Connection connection, String region, Heard known) {
    List<Object> values = List.of(workspace, clock.unixMillis(), region, known.since());
    return RegionDatabase.rows(connection, OTHERS, values, CountRows::countRow);
  }

  /** Returns the counts that a region itself has written so far, as far as they still count. */
  CompletionStage<List<Count>> of(String region) {
    List<Object> values = List.of(workspace, clock.unixMillis(), region);
    return database
        .with(connection -> RegionDatabase.rows(connection, OWN, values, CountRows::countRow))
        .thenApply(rows -> new Heard().merge(rows, clock.unixMillis()));
  }

  /** Returns a row, or empty when its limit is not known to this program. */
  private static Optional<CountRow> countRow(Row row) {
    LimitId id =
        LimitNaming.limit(
            RegionDatabase.text(row, "namespace"),
            RegionDatabase.text(row, "identifier"),
            RegionDatabase.number(row, "duration"));
    long amount = RegionDatabase.number(row, "amount");
    if (id == null || amount < 0) {
      return Optional.empty();
    }
    Count count = new Count(id, RegionDatabase.number(row, "sequence"), amount);
    return Optional.of(
        new CountRow(
            RegionDatabase.text(row, "region"), count, RegionDatabase.number(row, "changed_at")));
  }
}
