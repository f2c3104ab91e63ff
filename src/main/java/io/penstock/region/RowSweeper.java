package io.penstock.region;

import io.penstock.time.WallClock;
import io.r2dbc.spi.Connection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Deletes rows that no longer count, in bounded batches. Each region deletes its own rows at once,
 * and those of other regions an hour later if they are still there: two regions that delete the
 * same row at the same time stop some kinds of replication.
 */
final class RowSweeper {
  /** Maximum number of rows per statement. */
  static final int BATCH = 1_000;

  /** Maximum number of statements per table in one sweep. */
  static final int BATCHES = 10;

  /** A sweep that deletes this many rows or more may have left some. */
  static final int MOST = BATCHES * BATCH;

  static final long OTHERS_MILLIS = 3_600_000;

  private static final List<String> TABLES = List.of("ratelimit_blocklist", "ratelimit_counts");

  private final RegionDatabase database;
  private final String region;
  private final WallClock clock;

  RowSweeper(RegionDatabase database, String region, WallClock clock) {
    this.database = database;
    this.region = region;
    this.clock = clock;
  }

  /** Runs one sweep and returns the number of deleted rows. */
  CompletionStage<Long> sweep() {
    long now = clock.unixMillis();
    return database.with(
        connection ->
            Flux.fromIterable(TABLES)
                .concatMap(
                    table ->
                        delete(connection, table + " WHERE region = ?", now)
                            .concatWith(
                                delete(
                                    connection, table + " WHERE region <> ?", now - OTHERS_MILLIS)))
                .reduce(0L, Long::sum));
  }

  private Flux<Long> delete(Connection connection, String of, long until) {
    String sql = "DELETE FROM " + of + " AND expires_at <= ? LIMIT " + BATCH;
    Mono<Long> some = RegionDatabase.update(connection, sql, List.of(region, until));
    return some.repeat(BATCHES - 1).takeUntil(deleted -> deleted < BATCH);
  }
}
