package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.RecordedEvents;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the events about an instance's sharing with the others. */
class SharingStatusTest {
  private static final long LEASE = 12_000_000_000L;

  private final RecordedEvents events = new RecordedEvents();

  private SharingStatus status(SharingMode sharingMode, OutagePolicy policy) {
    return new SharingStatus(sharingMode, policy, LEASE, events);
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
    status(SharingMode.EXACT, policy).look(RecoveryReason.CAME, 0, true, true, LEASE);
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
    status(SharingMode.EVENTUAL, policy).look(null, 0, true, true, LEASE);
    assertThat(said().getLast().detail()).contains(": " + follows + " (");
  }

  @Test
  void whoComes_saysSoOnlyWhileTheStoreIsHeard() {
    SharingStatus sharingStatus = status(SharingMode.EXACT, OutagePolicy.PARK);
    sharingStatus.look(RecoveryReason.CAME, 0, false, true, 1);
    assertThat(said()).isEmpty();
    sharingStatus.look(RecoveryReason.CAME, 2, false, true, 2);
    assertThat(said()).extracting(Event.Synced::change).containsExactly(Change.JOINING);
  }

  @Test
  void storeIsBack_isSaidOnceSharesAreGivenAgain() {
    SharingStatus sharingStatus = status(SharingMode.EXACT, OutagePolicy.PARK);
    sharingStatus.look(null, 2, false, true, 1);
    sharingStatus.look(null, 2, true, true, 2);
    sharingStatus.look(RecoveryReason.LOST, 2, false, true, 3);
    sharingStatus.look(null, 2, false, true, 4);
    assertThat(said())
        .extracting(Event.Synced::change)
        .containsExactly(
            Change.MEMBERS, Change.CUT_OFF, Change.LEARNING, Change.LEARNED, Change.REJOINED);
  }

  @Test
  void nothingIsShared_nothingIsSaid() {
    SharingStatus sharingStatus = status(SharingMode.EXACT, OutagePolicy.PARK);
    sharingStatus.look(RecoveryReason.CAME, 0, true, false, LEASE);
    sharingStatus.look(RecoveryReason.CAME, 1, false, false, LEASE);
    assertThat(said()).isEmpty();
  }
}
