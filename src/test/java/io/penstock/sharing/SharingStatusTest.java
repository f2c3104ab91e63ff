package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.RecordedEvents;
import io.penstock.limit.LimitSpec;
import io.penstock.slices.SliceWorld;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the events about an instance's sharing with the others. */
class SharingStatusTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(3_000, 10 * SliceWorld.SECOND);
  private static final long SECOND = SliceWorld.SECOND;

  private final SliceWorld world = new SliceWorld(1, FIXED);
  private final RecordedEvents events = new RecordedEvents();

  private void joined(OutagePolicy policy, int members) {
    world.onOutage = policy;
    world.join().rounds().setEventSink(events);
    for (int each = 1; each < members; each++) {
      world.join();
    }
  }

  private void runFor(long nanos) {
    world.run(world.now() + nanos);
  }

  private List<Event.Synced> said() {
    return events.of(Event.Synced.class);
  }

  private List<Change> changes() {
    return said().stream().map(Event.Synced::change).toList();
  }

  @Test
  void startOfThree_saysThatItJoinsAndAmongHowMany() {
    joined(OutagePolicy.PARK, 3);
    runFor(60 * SECOND);
    assertThat(changes()).containsExactly(Change.JOINING, Change.JOINED);
    assertThat(said().getLast().members()).isEqualTo(3);
    assertThat(said().getLast().sharing()).isEqualTo("exact");
    assertThat(said().getLast().detail()).isEqualTo("3 instances share exact limits");
  }

  @Test
  void instanceThatCrashesOrComes_isSaidOnce() {
    joined(OutagePolicy.PARK, 2);
    runFor(10 * SECOND);
    world.nodes.getLast().crash();
    runFor(30 * SECOND);
    world.join();
    runFor(30 * SECOND);
    assertThat(changes())
        .containsExactly(Change.JOINING, Change.JOINED, Change.MEMBERS, Change.MEMBERS);
    assertThat(said().stream().map(Event.Synced::members).skip(1)).containsExactly(2L, 1L, 2L);
    assertThat(said().getLast().sharing()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "PARK, 'requests that need exact limits wait'",
    "SHARE, 'exact limits are divided by 2'",
    "ALLOW, 'exact limits let all pass'",
    "REFUSE, 'exact limits refuse'"
  })
  void storeAwayAndBack_saysOnceWhatFollows(OutagePolicy policy, String follows) {
    joined(policy, 2);
    runFor(10 * SECOND);
    int before = said().size();
    world.store.cut = true;
    runFor(60 * SECOND);
    assertThat(changes().subList(before, said().size())).containsExactly(Change.CUT_OFF);
    assertThat(said().getLast().detail())
        .isEqualTo(
            "Redis has not been heard for 2 s: %s (penstock.redis.on-outage=%s)"
                .formatted(follows, policy.text()));
    world.store.cut = false;
    runFor(60 * SECOND);
    assertThat(changes().subList(before + 1, said().size()))
        .containsExactly(Change.LEARNING, Change.LEARNED, Change.REJOINED);
    assertThat(said().getLast().members()).isEqualTo(2);
  }

  @Test
  void storeThatNeverAnswered_saysSoAndJoinsLater() {
    world.store.cut = true;
    joined(OutagePolicy.SHARE, 2);
    runFor(30 * SECOND);
    assertThat(changes()).containsExactly(Change.CUT_OFF);
    assertThat(said().getLast().members()).isZero();
    assertThat(said().getLast().detail()).contains("because Redis was never heard");
    world.store.cut = false;
    runFor(30 * SECOND);
    assertThat(changes())
        .containsExactly(Change.CUT_OFF, Change.JOINING, Change.JOINED, Change.REJOINED);
  }

  @Test
  void flushedStore_saysThatAllLearnAndThatTheyHave() {
    joined(OutagePolicy.PARK, 3);
    runFor(10 * SECOND);
    int before = said().size();
    world.store.flush(true);
    runFor(30 * SECOND);
    assertThat(changes().subList(before, said().size()))
        .containsExactly(Change.LEARNING, Change.LEARNED);
    assertThat(said().get(before).detail()).contains("Redis has lost data");
    assertThat(said().getLast().members()).isEqualTo(3);
  }

  @Test
  void storeThatIsAnotherProcessWithAllItKnew_saysThatAllAreHeard() {
    joined(OutagePolicy.PARK, 3);
    runFor(10 * SECOND);
    int before = said().size();
    world.store.rollback(world.now(), true);
    runFor(30 * SECOND);
    assertThat(changes().subList(before, said().size()))
        .containsExactly(Change.LEARNING, Change.LEARNED);
    assertThat(said().get(before).detail()).contains("Redis was restarted or replaced");
    assertThat(said().getLast().members()).isEqualTo(3);
  }

  private SharingStatus standing(SharingMode sharingMode, OutagePolicy policy) {
    SharingStatus sharingStatus = new SharingStatus(sharingMode, policy, SliceWorld.TTL);
    sharingStatus.setEventSink(events);
    return sharingStatus;
  }

  @Test
  void limitsThatAreBarred_areSaidOnce_andThatTheyGrantAgain() {
    SharingStatus sharingStatus = standing(SharingMode.EXACT, OutagePolicy.PARK);
    assertThat(sharingStatus.lookBarred(false, 1)).isEmpty();
    sharingStatus.lookBarred(true, 2).forEach(Runnable::run);
    assertThat(sharingStatus.lookBarred(true, 3)).isEmpty();
    sharingStatus.lookBarred(false, 4).forEach(Runnable::run);
    assertThat(changes()).containsExactly(Change.RECOVERING, Change.RECOVERED);
    assertThat(said().getFirst().detail()).contains("they grant nothing more until their window");
    assertThat(said().getLast().detail()).isEqualTo("exact limits grant again what there is");
  }

  @ParameterizedTest
  @CsvSource({
    "PARK, 'eventual limits count this instance alone'",
    "SHARE, 'eventual limits count this instance alone'",
    "ALLOW, 'eventual limits let all pass'",
    "REFUSE, 'eventual limits refuse'"
  })
  void eventualLimitsWhileTheStoreIsAway_areSaidToDoWhatTheyDo(
      OutagePolicy policy, String follows) {
    StoreContact contact = new StoreContact(policy, false, SliceWorld.TTL, 0);
    contact.changes(false, SliceWorld.TTL);
    standing(SharingMode.EVENTUAL, policy)
        .findChanges(null, contact, () -> true, SliceWorld.TTL)
        .forEach(Runnable::run);
    assertThat(said().getLast().detail()).contains(": " + follows + " (");
  }

  @Test
  void whoComes_saysSoOnlyWhileTheStoreIsHeard() {
    StoreContact contact = new StoreContact(OutagePolicy.PARK, true, SliceWorld.TTL, 0);
    contact.answered(0, 2);
    SharingStatus sharingStatus = standing(SharingMode.EXACT, OutagePolicy.PARK);
    assertThat(sharingStatus.findChanges(RecoveryReason.CAME, contact, () -> true, SliceWorld.TTL))
        .isEmpty();
    assertThat(
            sharingStatus.findChanges(RecoveryReason.CAME, contact, () -> true, SliceWorld.TTL - 1))
        .hasSize(1);
  }
}
