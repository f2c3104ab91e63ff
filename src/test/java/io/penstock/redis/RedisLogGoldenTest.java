package io.penstock.redis;

import io.penstock.event.Event;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.LogLines;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.RecoveryReason;
import io.penstock.sharing.SharingMode;
import io.penstock.sharing.SharingStatus;
import io.penstock.sharing.StoreContact;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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
    SharingStatus sharingStatus = new SharingStatus(sharingMode, policy, TTL);
    sharingStatus.setEventSink(event -> said.add((Event.Synced) event));
    StoreContact contact = new StoreContact(policy, TTL, 0);
    look(sharingStatus, contact, null, 2 * TTL);
    contact.answered(2 * TTL, 1);
    look(sharingStatus, contact, RecoveryReason.CAME, 2 * TTL);
    look(sharingStatus, contact, null, 2 * TTL);
    contact.answered(3 * TTL, 3);
    look(sharingStatus, contact, null, 3 * TTL);
    look(sharingStatus, contact, RecoveryReason.LOST, 3 * TTL);
    look(sharingStatus, contact, null, 3 * TTL);
    look(sharingStatus, contact, null, 5 * TTL);
    return said;
  }

  private static void look(
      SharingStatus sharingStatus,
      StoreContact contact,
      @Nullable RecoveryReason learns,
      long now) {
    var _ = contact.changes(learns != null, now);
    sharingStatus.findChanges(learns, contact, () -> true, now).forEach(Runnable::run);
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
