package io.penstock.redis;

import io.penstock.event.Event;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.LogLines;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.RecoveryReason;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingStatus;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the log lines about Redis, and about instances that share limits, with golden records.
 */
@Tag(GoldenRecords.TAG)
class RedisLogGoldenTest {
  private static final long TTL = 2_000_000_000L;

  @Test
  void troubles_areSaidAsRecorded() {
    try (LogLines lines = LogLines.of("io.penstock.redis")) {
      TroubleLog troubleLog = new TroubleLog("shared limits", "limit");
      for (Kind kind : Kind.values()) {
        troubleLog.recordFailure(new RedisTrouble(kind));
      }
      troubleLog.recordSuccess();
      troubleLog.recordFailure(new RedisTrouble(Kind.AWAY, "some of its masters"));
      troubleLog.recordFailure("limit:key:k", new RedisTrouble(Kind.VALUE));
      troubleLog.recordSuccess("limit:key:k");
      GoldenRecords.check("logs/redis.txt", lines.text());
    }
  }

  /**
   * Returns the events of an instance that is away, comes, hears of a loss, and is cut off again.
   */
  private static List<Event.Synced> said(SharingMode sharingMode, OutagePolicy policy) {
    List<Event.Synced> said = new ArrayList<>();
    SharingStatus status =
        new SharingStatus(sharingMode, policy, TTL, event -> said.add((Event.Synced) event));
    status.look(null, 0, true, true, 1);
    status.look(RecoveryReason.CAME, 1, false, true, 2);
    status.look(null, 1, false, true, 3);
    status.look(null, 3, false, true, 4);
    status.look(RecoveryReason.LOST, 3, false, true, 5);
    status.look(null, 3, false, true, 6);
    status.look(null, 3, true, true, 7);
    return said;
  }

  @Test
  void changesOfSharing_areSaidAsRecorded() {
    StringBuilder record = new StringBuilder();
    for (SharingMode sharingMode : List.of(SharingMode.EXACT, SharingMode.EVENTUAL)) {
      for (OutagePolicy policy : OutagePolicy.values()) {
        record.append(sharingMode.text()).append(", ").append(policy.text()).append('\n');
        for (Event.Synced each : said(sharingMode, policy)) {
          record.append("  %s %d %s%n".formatted(each.change(), each.members(), each.detail()));
        }
      }
    }
    GoldenRecords.check("logs/sharing.txt", record.toString());
  }
}
