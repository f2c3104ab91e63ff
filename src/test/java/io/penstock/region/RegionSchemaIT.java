package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.MariaDb;
import io.penstock.fake.PatientWaits;
import io.penstock.store.DatabaseAddress;
import io.penstock.time.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.Test;

/** Tests the creation of the tables, the rights that users need, and the deletion of rows. */
class RegionSchemaIT {
  private static final Duration SOON = PatientWaits.LONGEST;

  @Test
  void manyThatStartAtOnce_makeTheTablesOnce() {
    Tables tables = Tables.none();
    tables.sql("CREATE TABLE penstock_keys (name INT)"); // the keys may be in the same database
    List<CompletableFuture<Void>> all =
        IntStream.range(0, 4)
            .mapToObj(
                each ->
                    CompletableFuture.runAsync(() -> RegionSchema.migrate(tables.settings("east"))))
            .toList();
    all.forEach(each -> PatientWaits.join(each));
    assertThat(
            tables.query(
                "SELECT count(*) FROM "
                    + RegionSchema.HISTORY
                    + " WHERE version = '1' AND success"))
        .containsExactly("1");
    assertThat(tables.query("SHOW TABLES LIKE 'ratelimit%'"))
        .containsExactlyInAnyOrder("ratelimit_blocklist", "ratelimit_counts");
  }

  @Test
  void tablesHaveAFormat_andAnotherOneIsLeftAlone() {
    Tables none = Tables.none();
    assertThat(RegionSchema.format(none.settings("east"))).isEmpty();
    Tables tables = Tables.made();
    assertThat(RegionSchema.format(tables.settings("east"))).contains(RegionSchema.VERSION);
    tables.sql(
        "INSERT INTO "
            + RegionSchema.HISTORY
            + " SELECT installed_rank + 1, '2', description, type, 'V2__x.sql', checksum,"
            + " installed_by, installed_on, execution_time, success FROM "
            + RegionSchema.HISTORY
            + " WHERE version = '1'");
    assertThat(RegionSchema.format(tables.settings("east"))).contains("2");
    assertThatThrownBy(() -> RegionSchema.migrate(tables.settings("east")))
        .isInstanceOf(FlywayException.class);
  }

  @Test
  void grantsOfTheReadme_suffice() {
    Tables tables = Tables.made();
    String database = tables.query("SELECT database()").getFirst();
    String host = "'@'127.0.0.1'";
    MariaDb.run("CREATE USER 'small" + host + " IDENTIFIED BY 'small'");
    for (String table : List.of("ratelimit_blocklist", "ratelimit_counts")) {
      MariaDb.run(
          "GRANT SELECT, INSERT, UPDATE, DELETE ON %s.%s TO 'small%s"
              .formatted(database, table, host));
    }
    String url = "r2dbc:mariadb://small:small@127.0.0.1:" + MariaDb.port() + "/" + database;
    try (RegionDatabase small = Tables.patient(DatabaseAddress.parse(url))) {
      CountRows counts = new CountRows(small, "default", WallClock.system());
      DenialRows denials = new DenialRows(small, "default", WallClock.system());
      RowSweeper sweeper = new RowSweeper(small, "east", WallClock.system());
      assertThat(counts.exchange("east", List.of()).toCompletableFuture()).succeedsWithin(SOON);
      assertThat(denials.since("east", 0).toCompletableFuture()).succeedsWithin(SOON);
      assertThat(sweeper.sweep().toCompletableFuture()).succeedsWithin(SOON);
    }
  }

  @Test
  void rowsThatCountNoMore_areDeleted_thoseOfOthersLater() {
    Tables tables = Tables.made();
    long hour = RowSweeper.OTHERS_MILLIS;
    for (String region : List.of("east", "west")) {
      for (long expires : new long[] {1, hour + 1, 2 * hour, 2 * hour + 1}) {
        tables.sql(
            "INSERT INTO ratelimit_counts VALUES ('default', 'key-rpm', 'k', 60000, %d, '%s', 1, %d,"
                    .formatted(expires, region, expires)
                + " 1)");
      }
    }
    try (RegionDatabase regionDatabase = Tables.patient(tables.address())) {
      RowSweeper sweeper = new RowSweeper(regionDatabase, "east", () -> 2 * hour);
      assertThat(sweeper.sweep().toCompletableFuture()).succeedsWithin(SOON).isEqualTo(4L);
    }
    assertThat(
            tables.query("SELECT concat(region, ' ', expires_at) FROM ratelimit_counts ORDER BY 1"))
        .containsExactly(
            "east " + (2 * hour + 1),
            "west " + (hour + 1),
            "west " + 2 * hour,
            "west " + (2 * hour + 1));
  }

  @Test
  void manyRows_areDeletedInBatches() {
    Tables tables = Tables.made();
    tables.sql(
        "INSERT INTO ratelimit_blocklist SELECT 'default', 'key-rpm', 'k', 60000, seq, 'east', 1,"
            + " 1, 1 FROM seq_1_to_11500");
    try (RegionDatabase regionDatabase = Tables.patient(tables.address())) {
      RowSweeper sweeper = new RowSweeper(regionDatabase, "east", WallClock.system());
      assertThat(sweeper.sweep().toCompletableFuture())
          .succeedsWithin(SOON)
          .isEqualTo((long) RowSweeper.BATCH * RowSweeper.BATCHES);
      assertThat(sweeper.sweep().toCompletableFuture()).succeedsWithin(SOON).isEqualTo(1_500L);
    }
  }
}
