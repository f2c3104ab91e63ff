package io.penstock.region;

import io.penstock.sharing.DenialStore;
import io.penstock.time.WallClock;
import io.r2dbc.spi.Row;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import reactor.core.publisher.Flux;

/**
 * Denials in the table {@code ratelimit_blocklist}: one row for each region and cell, which never
 * changes. Thread-safe.
 *
 * <p>The clocks of regions differ, and rows take time to be replicated, so that a new row may be
 * older than the cursor. Each read therefore begins {@link TableCursor#OVERLAP_MILLIS} before the
 * cursor, and returns each row only once.
 */
final class DenialRows implements DenialStore {
  /** Maximum number of rows of one read. */
  private static final int MOST_ROWS = 100_000;

  private static final String WRITE =
      "INSERT INTO ratelimit_blocklist (workspace, namespace, identifier, duration, sequence,"
          + " region, `limit`, expires_at, changed_at) VALUES ";
  private static final int COLUMNS = 9;
  private static final String ONCE = " ON DUPLICATE KEY UPDATE `limit` = `limit`";
  private static final String READ =
      "SELECT namespace, identifier, duration, sequence, region, `limit`, changed_at"
          + " FROM ratelimit_blocklist WHERE workspace = ? AND expires_at > ? AND region <> ?"
          + " AND changed_at > ? ORDER BY changed_at LIMIT "
          + MOST_ROWS;

  private static final Comparator<Denial> BY_KEY =
      Comparator.comparing(Denial::namespace)
          .thenComparing(Denial::identifier)
          .thenComparingLong(Denial::durationMillis)
          .thenComparingLong(Denial::sequence);

  private record DenialRow(String region, Denial denial, long changedMillis) {}

  private final RegionDatabase database;
  private final String workspace;
  private final WallClock clock;

  /** Rows already returned, by reading region. */
  private final Map<String, Set<DenialRow>> returnedRows = new ConcurrentHashMap<>();

  DenialRows(RegionDatabase database, String workspace, WallClock clock) {
    this.database = database;
    this.workspace = workspace;
    this.clock = clock;
  }

  @Override
  public CompletionStage<Void> publish(String region, List<Denial> denials) {
    List<Denial> sorted = denials.stream().sorted(BY_KEY).toList();
    return database
        .with(
            connection ->
                Flux.fromIterable(RowBatches.of(sorted))
                    .concatMap(
                        batch ->
                            RegionDatabase.update(
                                connection,
                                WRITE + RowBatches.places(batch.size(), COLUMNS) + ONCE,
                                values(region, batch)))
                    .reduce(0L, Long::sum))
        .thenAccept(rows -> {});
  }

  private List<Object> values(String region, List<Denial> batch) {
    List<Object> values = new ArrayList<>(batch.size() * COLUMNS);
    for (Denial denial : batch) {
      values.add(workspace);
      values.add(denial.namespace());
      values.add(denial.identifier());
      values.add(denial.durationMillis());
      values.add(denial.sequence());
      values.add(region);
      values.add(denial.limit());
      values.add(denial.expiresAtMillis());
      values.add(clock.unixMillis());
    }
    return values;
  }

  @Override
  public CompletionStage<Page> since(String region, long cursor) {
    Set<DenialRow> known =
        returnedRows.computeIfAbsent(region, none -> ConcurrentHashMap.newKeySet());
    boolean whole = cursor == Page.START;
    long from = whole ? 0 : cursor - TableCursor.OVERLAP_MILLIS;
    List<Object> values = List.of(workspace, clock.unixMillis(), region, from);
    return database
        .with(connection -> RegionDatabase.rows(connection, READ, values, DenialRows::denialRow))
        .thenApply(rows -> page(rows, whole ? Set.of() : Set.copyOf(known), cursor, known));
  }

  private Page page(
      List<DenialRow> rows, Set<DenialRow> before, long cursor, Set<DenialRow> known) {
    long newest = cursor;
    long now = clock.unixMillis();
    Set<DenialRow> news = new HashSet<>();
    for (DenialRow denialRow : rows) {
      // Capped at the local time: a clock that is ahead must not hide the rows of other regions.
      newest = Math.max(newest, Math.min(denialRow.changedMillis(), now));
      if (!before.contains(denialRow)) {
        news.add(denialRow);
      }
    }
    known.removeIf(denialRow -> denialRow.denial().expiresAtMillis() <= now);
    known.addAll(news);
    return new Page(news.stream().map(DenialRow::denial).toList(), newest);
  }

  /** Returns a row of the table, or empty when it is not a valid denial. */
  private static Optional<DenialRow> denialRow(Row row) {
    try {
      Denial denial =
          new Denial(
              RegionDatabase.text(row, "namespace"),
              RegionDatabase.text(row, "identifier"),
              RegionDatabase.number(row, "duration"),
              RegionDatabase.number(row, "sequence"),
              RegionDatabase.number(row, "limit"));
      return Optional.of(
          new DenialRow(
              RegionDatabase.text(row, "region"),
              denial,
              RegionDatabase.number(row, "changed_at")));
    } catch (IllegalArgumentException none) {
      return Optional.empty();
    }
  }
}
