package io.penstock.redis.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.coordination.ObjectOperation;
import io.penstock.coordination.TimedTasks;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which turns wait at which object, and when it is looked at. */
class WaitingTurnsTest {
  /** Store clock for a Redis with the local clock. */
  private static final class Same implements StoreClock {
    @Override
    public void addReading(long askedNanos, long heardNanos, long storeMicros) {
      // the clock is known
    }

    @Override
    public long localNanos(long storeMicros, long nowNanos) {
      return storeMicros * 1_000;
    }

    @Override
    public String fence(long nowNanos) {
      return "";
    }

    @Override
    public String now() {
      return "";
    }
  }

  private final TimedTasks timedTasks = new TimedTasks();
  private final List<String> due = new ArrayList<>();
  private final WaitingTurns waitingTurns =
      new WaitingTurns(timedTasks, new Same(), (key, kind) -> due.add(key));
  private long number;

  private PendingCall visit(String key) {
    PendingCall pendingCall = new PendingCall(key, "tenant", "name", ++number, 0, 'w');
    pendingCall.begin(new ObjectOperation.AwaitEvent(), 0, turn -> {});
    return pendingCall;
  }

  private PendingCall waits(String key) {
    PendingCall pendingCall = visit(key);
    waitingTurns.add(pendingCall);
    return pendingCall;
  }

  @Test
  void thoseWhoWait_areCountedByObjectInTheirOrder() {
    PendingCall first = waits("a");
    PendingCall second = waits("a");
    PendingCall other = waits("b");
    assertThat(waitingTurns.waiting()).isEqualTo(3);
    assertThat(waitingTurns.byObject())
        .containsExactlyInAnyOrder(List.of(first, second), List.of(other));
    waitingTurns.remove(second);
    waitingTurns.remove(second);
    assertThat(waitingTurns.waiting()).isEqualTo(2);
    waitingTurns.remove(first);
    assertThat(waitingTurns.byObject()).containsExactly(List.of(other));
  }

  @Test
  void whoAsks_doesNotWaitYet_butIsToldOfTheObject() {
    PendingCall asking = visit("a");
    waitingTurns.noteAsking(asking);
    assertThat(waitingTurns.byObject()).isEmpty();
    waitingTurns.next("a", 1, 5, 0);
    assertThat(timedTasks.nextNanos()).isEqualTo(5_000);
    waitingTurns.asked(asking);
    assertThat(timedTasks.nextNanos()).as("nobody is there").isEqualTo(Ticker.NEVER);
  }

  @Test
  void objectAtWhichOneStillAsks_isKeptWhenTheOnlyOneThatWaitsGoes() {
    PendingCall waits = waits("a");
    PendingCall asking = visit("a");
    waitingTurns.noteAsking(asking);
    waitingTurns.next("a", 1, 5, 0);
    waitingTurns.remove(waits);
    assertThat(timedTasks.nextNanos()).isEqualTo(5_000);
    waitingTurns.add(waits);
    waitingTurns.asked(asking);
    assertThat(timedTasks.nextNanos()).isEqualTo(5_000);
    waitingTurns.remove(waits);
    assertThat(timedTasks.nextNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void objectWhoseTimeHasCome_isLookedAtOnce() {
    waits("a");
    waitingTurns.next("a", 1, 5, 0);
    timedTasks.run(4_999);
    assertThat(due).isEmpty();
    timedTasks.run(5_000);
    assertThat(due).containsExactly("a");
    waitingTurns.next("a", 2, 5, 0);
    timedTasks.run(5_000);
    assertThat(due).containsExactly("a", "a");
  }

  @Test
  void laterWord_takesThePlaceOfTheOneBefore() {
    waits("a");
    waitingTurns.next("a", 1, 5, 0);
    waitingTurns.next("a", 2, 9, 0);
    assertThat(timedTasks.nextNanos()).isEqualTo(9_000);
    waitingTurns.next("a", 2, 8, 0);
    assertThat(timedTasks.nextNanos()).as("of the same instant").isEqualTo(8_000);
    waitingTurns.next("a", 2, 10, 0);
    assertThat(timedTasks.nextNanos()).as("of the same instant").isEqualTo(10_000);
    waitingTurns.next("a", 3, ObjectScript.NEVER, 0);
    assertThat(timedTasks.nextNanos()).isEqualTo(Ticker.NEVER);
  }

  @Test
  void overtakenWord_putsNothingOff_butMayHaveItLookedAtSooner() {
    waits("a");
    waitingTurns.next("a", 5, 7, 0);
    waitingTurns.next("a", 4, 9, 0);
    assertThat(timedTasks.nextNanos()).isEqualTo(7_000);
    waitingTurns.next("a", 4, 6, 0);
    assertThat(timedTasks.nextNanos()).isEqualTo(6_000);
    waitingTurns.next("a", 4, 9, 0);
    assertThat(timedTasks.nextNanos()).as("still overtaken").isEqualTo(6_000);
    waitingTurns.next("a", 6, 9, 0);
    assertThat(timedTasks.nextNanos()).isEqualTo(9_000);
  }

  @Test
  void objectThatIsToBeLookedAtAtTheSameInstant_keepsItsTurn() {
    waits("a");
    waits("b");
    waitingTurns.at("a", 7);
    waitingTurns.at("b", 7);
    waitingTurns.at("a", 7);
    timedTasks.run(7);
    assertThat(due).containsExactly("a", "b");
  }

  @Test
  void objectAtWhichNobodyIs_isNotLookedAt() {
    waitingTurns.next("a", 1, 5, 0);
    waitingTurns.at("a", 5);
    assertThat(timedTasks.nextNanos()).isEqualTo(Ticker.NEVER);
  }
}
