package io.penstock.region;

import io.penstock.time.WallClock;
import io.r2dbc.spi.Connection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Deletes rows that count no more, in bounded batches. Each region deletes its own at once; those
 * of others an hour later, if nobody did: two that delete a row at once stop some replications.
 */
final class Sweeper {
  /** Rows a statement. */
  static final int BATCH = 1_000;

  /** Statements a table, each time. */
  static final int BATCHES = 10;

  /** So many at once say that there may be more. */
  static final int MOST = BATCHES * BATCH;

  static final long OTHERS_MILLIS = 3_600_000;

  private static final List<String> TABLES = List.of("ratelimit_blocklist", "ratelimit_counts");

  private final Database database;
  private final String region;
  private final WallClock clock;

  Sweeper(Database database, String region, WallClock clock) {
    this.database = database;
    this.region = region;
    this.clock = clock;
  }

  /** Deletes some; returns how many. */
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
    Mono<Long> some = Database.update(connection, sql, List.of(region, until));
    return some.repeat(BATCHES - 1).takeUntil(deleted -> deleted < BATCH);
  }
}
