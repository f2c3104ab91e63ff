package io.penstock.shares;

import static io.penstock.shares.ShareWorld.MILLI;
import static io.penstock.shares.ShareWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.event.Event;
import io.penstock.event.Event.Synced.Change;
import io.penstock.fake.RecordedEvents;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingView;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests the events of the first of several instances. A lease takes four seconds. */
class ShareStatusTest {
  private static final long LEASE = 4 * SECOND;

  private final ShareWorld world =
      new ShareWorld(
          1,
          new ShareWorld.Setting(
              new ShareTerms(LEASE, 500 * MILLI, SECOND, 100 * MILLI, LEASE, true),
              ShareWorld.limits(new Terms(Kind.TRAILING, 300, 10 * SECOND)),
              5 * MILLI,
              0,
              0,
              0,
              50 * MILLI,
              15,
              20 * MILLI,
              Set.of()));
  private final RecordedEvents events = new RecordedEvents();

  private ShareStatus join(int instances) {
    for (int index = 0; index < instances; index++) {
      world.join(index, 1);
    }
    ShareWorld.Node first = world.nodes.getFirst();
    ShareStatus looking =
        new ShareStatus(
            new ShareSlots(List.of(first.sync)),
            OutagePolicy.CONTINUE,
            LEASE,
            events,
            first::clock);
    look(looking);
    return looking;
  }

  private void look(ShareStatus looking) {
    looking.look();
    world.at(world.now() + 100 * MILLI, () -> look(looking));
  }

  private List<Event.Synced> said() {
    return events.of(Event.Synced.class);
  }

  private List<Change> changes(int from) {
    return said().stream().map(Event.Synced::change).skip(from).toList();
  }

  @Test
  void startOfThree_saysThatItJoinsAndAmongHowMany() {
    ShareStatus status = join(3);
    assertThat(status.members()).isEqualTo(1);
    world.run(60);
    assertThat(changes(0)).containsExactly(Change.JOINING, Change.JOINED);
    assertThat(said().getLast().members()).isEqualTo(3);
    assertThat(said().getLast().sharing()).isEqualTo("exact");
    assertThat(said().getLast().detail()).isEqualTo("3 instances share exact limits");
    assertThat(status.members()).isEqualTo(3);
    assertThat(status.outage()).isNull();
  }

  @Test
  void instanceThatCrashesOrComes_isSaidOnce() {
    join(2);
    world.run(30);
    world.nodes.getLast().crash();
    world.run(60);
    world.join(2, 1);
    world.run(90);
    assertThat(changes(0))
        .as("what one that comes does not know yet is no loss")
        .containsExactly(Change.JOINING, Change.JOINED, Change.MEMBERS, Change.MEMBERS);
    assertThat(said()).extracting(Event.Synced::members).endsWith(2L, 1L, 2L);
    assertThat(said().getLast().sharing()).isNull();
    assertThat(said().getLast().detail()).isEqualTo("2 instances share limits");
  }

  @Test
  void storeAwayAndBackWithAllItKnew_saysOnceWhatFollows() {
    ShareStatus status = join(2);
    world.run(30);
    int before = said().size();
    MemoryShareStore kept = world.snapshot();
    world.storeGoes();
    world.run(33);
    assertThat(changes(before)).as("no lease has ended").isEmpty();
    world.run(60);
    assertThat(changes(before)).containsExactly(Change.CUT_OFF);
    assertThat(said().getLast().detail())
        .isEqualTo(
            "Redis has not been heard for 4 s: each instance goes on with its shares of exact"
                + " limits (penstock.redis.on-outage=continue)");
    assertThat(status.members()).isEqualTo(1);
    assertThat(status.outage())
        .extracting(SharingView.Outage::policy)
        .isEqualTo(OutagePolicy.CONTINUE);
    world.storeReturns(kept);
    world.run(90);
    assertThat(changes(before + 1))
        .containsExactly(Change.LEARNING, Change.LEARNED, Change.REJOINED);
    assertThat(said().getLast().members()).isEqualTo(2);
    assertThat(status.outage()).isNull();
  }

  @Test
  void storeThatNeverAnswered_saysSoAndJoinsLater() {
    world.storeGoes();
    join(2);
    world.run(30);
    assertThat(changes(0)).containsExactly(Change.CUT_OFF);
    assertThat(said().getLast().members()).isZero();
    world.storeReturns(world.empty());
    world.run(60);
    assertThat(changes(1)).containsExactly(Change.JOINING, Change.JOINED, Change.REJOINED);
  }

  @Test
  void storeThatLostAllItKnew_saysThatAllLearnAndThatTheyHave() {
    join(3);
    world.run(30);
    int before = said().size();
    world.storeReturns(world.empty());
    world.run(60);
    assertThat(changes(before)).containsExactly(Change.LEARNING, Change.LEARNED);
    assertThat(said().get(before).detail()).startsWith("Redis was restarted or has lost data");
    assertThat(said().getLast().members()).isEqualTo(3);
  }
}
