package io.penstock.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.SqlRecord;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.DenialStore;
import io.penstock.sharing.DenialStore.Denial;
import io.penstock.sharing.LimitId;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the rows that regions store with the golden record, and reads the rows of the record.
 */
@Tag(GoldenRecords.TAG)
class RegionTablesGoldenIT {
  private static final String RECORD = "stored/regions.mariadb.sql";
  private static final long MINUTE_NANOS = 60_000_000_000L;
  private static final long NOW = 1_700_000_000_000L;
  private static final long MINUTE = NOW / 60_000;
  private static final long DAY = NOW / 86_400_000;

  private static <T> T answer(CompletionStage<T> stage) {
    return PatientWaits.join(stage);
  }

  private static CountRows counts(RegionDatabase database) {
    return new CountRows(database, "default", () -> NOW);
  }

  private static DenialRows denials(RegionDatabase database) {
    return new DenialRows(database, "default", () -> NOW);
  }

  /** Returns counts of limits of each kind: per minute and per day, requests and tokens. */
  private static List<Count> counted() {
    List<Count> counts = new ArrayList<>();
    for (LimitId.Kind kind : List.of(LimitId.Kind.KEY, LimitId.Kind.GROUP)) {
      for (LimitMeasure measure : List.of(LimitMeasure.REQUESTS, LimitMeasure.TOKENS)) {
        counts.add(new Count(new LimitId(kind, "a", "", measure, MINUTE_NANOS), MINUTE, 3));
        counts.add(new Count(new LimitId(kind, "a", "", measure, 1_440 * MINUTE_NANOS), DAY, 4));
      }
    }
    counts.add(
        new Count(
            new LimitId(LimitId.Kind.KEY, "ü a:b|'%", "m/1", LimitMeasure.TOKENS, MINUTE_NANOS),
            MINUTE + 1,
            Long.MAX_VALUE));
    return counts;
  }

  private static List<Denial> denied() {
    return List.of(
        new Denial("key-rpm", "a", 60_000, MINUTE, 50),
        new Denial("group-budget", "%C3%BC:m%2F1", 86_400_000, DAY, Long.MAX_VALUE));
  }

  @Test
  void tablesAndRows_areThoseRecorded_andAreReadFromTheRecord() throws SQLException {
    Tables made = Tables.made();
    try (RegionDatabase database = Tables.patient(made.address())) {
      answer(counts(database).exchange("east", counted()));
      answer(denials(database).publish("east", denied()));
    }
    try (Connection open = made.open()) {
      GoldenRecords.check(
          RECORD, SqlRecord.ofMariaDb(open, "ratelimit_blocklist", "ratelimit_counts"));
    }
    Tables before = Tables.none();
    try (Connection open = before.open()) {
      SqlRecord.load(open, RECORD);
    }
    try (RegionDatabase database = Tables.patient(before.address())) {
      assertThat(answer(counts(database).exchange("west", List.of())))
          .containsExactlyInAnyOrderElementsOf(counted());
      assertThat(answer(counts(database).of("east")))
          .containsExactlyInAnyOrderElementsOf(counted());
      assertThat(answer(denials(database).since("west", DenialStore.Page.START)).denials())
          .containsExactlyInAnyOrderElementsOf(denied());
    }
  }

  /**
   * A script that has been run anywhere must never change, because its checksum is stored with the
   * tables.
   */
  @Test
  void migrations_areThoseRecorded_inTheirOrder() {
    List<String> scripts =
        Tables.made()
            .query(
                "SELECT concat_ws(' ', version, type, script, coalesce(checksum, '-')) FROM "
                    + RegionSchema.HISTORY
                    + " ORDER BY installed_rank");
    GoldenRecords.check("stored/regions-migrations.txt", String.join("\n", scripts));
  }
}
