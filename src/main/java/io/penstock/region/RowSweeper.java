package io.penstock.region;

import io.penstock.time.WallClock;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.jdbc.core.simple.JdbcClient;

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
        client -> {
          long deleted = 0;
          for (String table : TABLES) {
            deleted += delete(client, table + " WHERE region = ?", now);
            deleted += delete(client, table + " WHERE region <> ?", now - OTHERS_MILLIS);
          }
          return deleted;
        });
  }

  private long delete(JdbcClient client, String of, long until) {
    String sql = "DELETE FROM " + of + " AND expires_at <= ? LIMIT " + BATCH;
    long deleted = 0;
    long last = BATCH;
    for (int batch = 0; batch < BATCHES && last == BATCH; batch++) {
      last = client.sql(sql).params(region, until).update();
      deleted += last;
    }
    return deleted;
  }
}
