package io.penstock.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.SqlRecord;
import io.penstock.model.ModelLimits;
import io.penstock.sharing.LimitId;
import io.penstock.usage.CachedInput;
import io.penstock.usage.SnapshotStore;
import io.penstock.usage.SnapshotStore.Snapshot;
import io.penstock.usage.SnapshotStore.Spent;
import io.penstock.usage.UsageLedger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares saved state with its records, and loads the records. */
@Tag(GoldenRecords.TAG)
class StoredStateGoldenTest {
  private static final long NOW = 1_700_000_000_123_456_789L;
  private static final long MINUTE = 60_000_000_000L;
  private static final long DAY = 1_440 * MINUTE;
  private static final String ODD = "ü:#{}\"\\ '\n\t\u2028\ud83d\ude00- ";

  @TempDir private Path directory;

  private static LimitId limit(
      LimitId.Kind kind, String name, LimitMeasure limitMeasure, long duration) {
    return new LimitId(kind, name, "", limitMeasure, duration);
  }

  /** Returns a snapshot with something of every kind: limits of each kind, measure and duration. */
  private static Snapshot everything() {
    Map<LimitId, List<Spent>> spent = new HashMap<>();
    for (LimitId.Kind kind : LimitId.Kind.values()) {
      spent.put(limit(kind, "a", LimitMeasure.REQUESTS, MINUTE), List.of(new Spent(NOW, 3)));
      spent.put(limit(kind, "a", LimitMeasure.REQUESTS, DAY), List.of(new Spent(NOW + DAY, 5)));
    }
    for (LimitMeasure limitMeasure : LimitMeasure.values()) {
      spent.put(limit(LimitId.Kind.KEY, "k", limitMeasure, 0), List.of(new Spent(NOW, 7)));
    }
    spent.put(
        new LimitId(LimitId.Kind.UPSTREAM, ODD, "a/b %", LimitMeasure.INPUT_TOKENS, MINUTE),
        List.of(new Spent(NOW, 1), new Spent(NOW + 1, Long.MAX_VALUE)));
    spent.put(
        limit(LimitId.Kind.MODEL, ODD, LimitMeasure.REQUESTS, MINUTE),
        List.of(new Spent(NOW, 1_000_000)));
    spent.put(
        limit(LimitId.Kind.MODEL, "a", LimitMeasure.TOKENS, MINUTE),
        List.of(new Spent(NOW, 5), new Spent(NOW + 9, 6)));
    LocalDate day = LocalDate.of(2026, 11, 22);
    return new Snapshot(
        Map.of(ODD, new ModelLimits(1, 2, 3), "gpt-4o", new ModelLimits(0, 4, 0)),
        spent,
        List.of(
            new UsageLedger.Row(day, "", "", "", 0, 0, 0, CachedInput.NONE),
            new UsageLedger.Row(day, "k", "g", ODD, 1, 2, 3, CachedInput.NONE),
            new UsageLedger.Row(day.plusDays(1), "c", "g", ODD, 1, 9, 3, new CachedInput(4, 3, 2)),
            new UsageLedger.Row(
                day.plusDays(1), "k", "g", "m", Long.MAX_VALUE, 2, 3, CachedInput.NONE)));
  }

  private static void save(Path file) throws Exception {
    try (SnapshotStore snapshotStore = StateFiles.of(file)) {
      snapshotStore.save(everything());
    }
  }

  private static Snapshot load(Path file) throws Exception {
    try (SnapshotStore snapshotStore = StateFiles.of(file)) {
      return snapshotStore.load();
    }
  }

  private static Connection open(Path file) throws Exception {
    return DriverManager.getConnection("jdbc:sqlite:" + file);
  }

  @Test
  void yaml_isWhatWasRecorded_andIsLoaded() throws Exception {
    Path file = directory.resolve("state.yaml");
    save(file);
    GoldenRecords.check("stored/state.yaml", Files.readString(file));
    assertThat(load(Path.of("src/test/golden/stored/state.yaml"))).isEqualTo(everything());
  }

  @Test
  void sqlite_isWhatWasRecorded_andIsLoadedAndSavedAgain() throws Exception {
    Path file = directory.resolve("state.db");
    save(file);
    try (Connection open = open(file)) {
      GoldenRecords.check("stored/state.sqlite.sql", SqlRecord.ofSqlite(open));
    }
    Path before = directory.resolve("before.db");
    try (Connection open = open(before)) {
      SqlRecord.load(open, "stored/state.sqlite.sql");
    }
    assertThat(load(before)).isEqualTo(everything());
    save(before);
    assertThat(load(before)).isEqualTo(everything());
  }
}
