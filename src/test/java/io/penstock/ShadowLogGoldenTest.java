package io.penstock;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.LogLines;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the lines that are made from events with records of them. */
@Tag(GoldenRecords.TAG)
class ShadowLogGoldenTest {
  private static final long SECOND = 1_000_000_000L;

  private static Event.Shadowed decided(long at, long waited, @Nullable RefusalReason reason) {
    Refusal refusal = reason == null ? null : Refusal.of(reason, "no");
    return new Event.Shadowed(at * SECOND, "/a", 1, waited * SECOND, refusal);
  }

  @Test
  void shadowDecisions_areSaidAsRecorded() {
    try (LogLines lines = LogLines.of("io.penstock.shadow")) {
      ShadowLog log = new ShadowLog();
      log.publish(decided(0, 0, null));
      for (RefusalReason reason : RefusalReason.values()) {
        log.publish(decided(1, 0, reason));
      }
      log.publish(decided(60, 3, null));
      log.publish(decided(120, 0, null));
      GoldenRecords.check("logs/shadow.txt", lines.text());
    }
  }

  @Test
  void changesOfSharing_haveTheLevelsRecorded() {
    try (LogLines lines = LogLines.of("io.penstock.sharing")) {
      SyncLog log = new SyncLog();
      for (Change change : Change.values()) {
        log.publish(new Event.Synced(0, "exact", change, 2, change.name()));
      }
      GoldenRecords.check("logs/sharing-levels.txt", lines.text());
    }
  }
}
