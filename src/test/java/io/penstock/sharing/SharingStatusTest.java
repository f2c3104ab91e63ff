package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.RecordedEvents;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the events about an instance's sharing with the others. */
class SharingStatusTest {
  private static final long LEASE = 12_000_000_000L;

  private final RecordedEvents events = new RecordedEvents();

  private SharingStatus status(SharingMode sharingMode, OutagePolicy policy) {
    SharingStatus sharingStatus = new SharingStatus(sharingMode, policy, LEASE);
    sharingStatus.setEventSink(events);
    return sharingStatus;
  }

  private static void look(
      SharingStatus status, StoreContact contact, @Nullable RecoveryReason learns, long now) {
    contact.changes(learns != null, now);
    status.findChanges(learns, contact, () -> true, now).forEach(Runnable::run);
  }

  private List<Event.Synced> said() {
    return events.of(Event.Synced.class);
  }

  @ParameterizedTest
  @CsvSource({
    "CONTINUE, 'each instance goes on with its shares of exact limits'",
    "PARK, 'requests that need exact limits wait'",
    "ALLOW, 'exact limits let all pass'",
    "REFUSE, 'exact limits refuse'"
  })
  void exactLimitsWhileTheStoreIsAway_areSaidToDoWhatTheyDo(OutagePolicy policy, String follows) {
    look(
        status(SharingMode.EXACT, policy),
        new StoreContact(policy, LEASE, 0),
        RecoveryReason.CAME,
        LEASE);
    assertThat(said()).extracting(Event.Synced::change).containsExactly(Change.CUT_OFF);
    assertThat(said().getLast().members()).isZero();
    assertThat(said().getLast().detail())
        .isEqualTo(
            "Redis has not been heard for 12 s: %s (penstock.redis.on-outage=%s)"
                .formatted(follows, policy.text()));
  }

  @ParameterizedTest
  @CsvSource({
    "CONTINUE, 'eventual limits count this instance alone'",
    "PARK, 'eventual limits count this instance alone'",
    "ALLOW, 'eventual limits let all pass'",
    "REFUSE, 'eventual limits refuse'"
  })
  void eventualLimitsWhileTheStoreIsAway_areSaidToDoWhatTheyDo(
      OutagePolicy policy, String follows) {
    look(status(SharingMode.EVENTUAL, policy), new StoreContact(policy, LEASE, 0), null, LEASE);
    assertThat(said().getLast().detail()).contains(": " + follows + " (");
  }

  @Test
  void whoComes_saysSoOnlyWhileTheStoreIsHeard() {
    StoreContact contact = new StoreContact(OutagePolicy.PARK, LEASE, 0);
    contact.answered(0, 2);
    SharingStatus sharingStatus = status(SharingMode.EXACT, OutagePolicy.PARK);
    assertThat(sharingStatus.findChanges(RecoveryReason.CAME, contact, () -> true, LEASE))
        .isEmpty();
    assertThat(sharingStatus.findChanges(RecoveryReason.CAME, contact, () -> true, LEASE - 1))
        .hasSize(1);
  }

  @Test
  void nothingIsShared_nothingIsSaid() {
    StoreContact contact = new StoreContact(OutagePolicy.PARK, LEASE, 0);
    SharingStatus sharingStatus = status(SharingMode.EXACT, OutagePolicy.PARK);
    contact.changes(false, LEASE);
    assertThat(sharingStatus.findChanges(RecoveryReason.CAME, contact, () -> false, LEASE))
        .isEmpty();
    contact.answered(LEASE, 1);
    assertThat(sharingStatus.findChanges(RecoveryReason.CAME, contact, () -> false, LEASE))
        .isEmpty();
  }
}
