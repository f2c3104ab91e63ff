package io.penstock.sync;

import io.penstock.event.Event;
import io.penstock.fake.Golden;
import io.penstock.fake.LogLines;
import io.penstock.quota.Sharing;
import io.penstock.sync.RedisTrouble.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the log lines about Redis, and about instances that share limits, with golden records.
 */
@Tag(Golden.TAG)
class RedisLogGoldenTest {
  private static final long TTL = 2_000_000_000L;

  @Test
  void troubles_areSaidAsRecorded() {
    try (LogLines lines = LogLines.of("io.penstock.redis")) {
      Troubles troubles = new Troubles("shared limits", "limit");
      for (Kind kind : Kind.values()) {
        troubles.failed(new RedisTrouble(kind));
      }
      troubles.well();
      troubles.failed(new RedisTrouble(Kind.AWAY, "some of its masters"));
      troubles.failed("limit:key:k", new RedisTrouble(Kind.VALUE));
      troubles.well("limit:key:k");
      Golden.check("logs/redis.txt", lines.text());
    }
  }

  /** Returns the events of an instance that is away, comes, recovers, and is cut off again. */
  private static List<Event.Synced> said(Sharing sharing, OnOutage policy) {
    List<Event.Synced> said = new ArrayList<>();
    Standing standing = new Standing(sharing, policy, TTL);
    standing.tell(event -> said.add((Event.Synced) event));
    Contact contact = new Contact(policy, sharing == Sharing.EXACT, TTL, 0);
    look(standing, contact, null, 2 * TTL);
    contact.heard(2 * TTL, 1);
    look(standing, contact, RecoveryReason.CAME, 2 * TTL);
    look(standing, contact, null, 2 * TTL);
    contact.heard(3 * TTL, 3);
    look(standing, contact, null, 3 * TTL);
    look(standing, contact, RecoveryReason.SILENT, 3 * TTL);
    look(standing, contact, RecoveryReason.RESTARTED, 3 * TTL);
    look(standing, contact, RecoveryReason.LOST, 3 * TTL);
    look(standing, contact, null, 3 * TTL);
    if (sharing == Sharing.EXACT) {
      standing.lookBarred(true, 3 * TTL).forEach(Runnable::run);
      standing.lookBarred(false, 4 * TTL).forEach(Runnable::run);
    }
    look(standing, contact, null, 5 * TTL);
    return said;
  }

  private static void look(
      Standing standing, Contact contact, @Nullable RecoveryReason learns, long now) {
    var _ = contact.changes(learns != null, now);
    standing.look(learns, contact, () -> true, now).forEach(Runnable::run);
  }

  @Test
  void changesOfSharing_areSaidAsRecorded() {
    StringBuilder record = new StringBuilder();
    for (Sharing sharing : List.of(Sharing.EXACT, Sharing.EVENTUAL)) {
      for (OnOutage policy : OnOutage.values()) {
        record.append(sharing.text()).append(", ").append(policy.text()).append('\n');
        for (Event.Synced each : said(sharing, policy)) {
          record.append("  %s %d %s%n".formatted(each.change(), each.members(), each.detail()));
        }
      }
    }
    Golden.check("logs/sharing.txt", record.toString());
  }
}
