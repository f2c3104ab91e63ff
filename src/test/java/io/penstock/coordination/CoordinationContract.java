package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of all coordination services. */
public abstract class CoordinationContract extends CoordinationClient {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;
  static final Reply DONE = new Reply.Done();
  static final Reply TIMED_OUT = new Reply.TimedOut();

  private static Operation token(long size) {
    return new Operation.TakeToken(size, SECOND);
  }

  private static Operation place(long size, String key) {
    return new Operation.Acquire(size, key, 60 * SECOND);
  }

  @Test
  void bucket_isFilledAtOnceEveryIntervalFromItsCreation() {
    assertThat(now(token(2))).isEqualTo(DONE);
    pass(300 * MILLI);
    assertThat(now(token(2))).isEqualTo(DONE);
    List<Turn> waiting = List.of(ask(token(2)), ask(token(2)), ask(token(2)));
    pass(700 * MILLI - 1);
    assertThat(waiting).allSatisfy(turn -> assertThat(turn.reply()).isNull());
    pass(1);
    assertThat(waiting.get(0).reply()).isEqualTo(DONE);
    assertThat(waiting.get(1).reply()).isEqualTo(DONE);
    assertThat(waiting.get(2).reply()).isNull();
    pass(10 * SECOND - 1); // intervals do not drift, and tokens are not saved up
    assertThat(now(token(2))).isEqualTo(DONE);
    assertThat(now(token(2))).isEqualTo(DONE);
    assertThat(call(token(2), 0).reply()).isEqualTo(TIMED_OUT);
    pass(1);
    assertThat(call(token(2), 0).reply()).isEqualTo(DONE);
  }

  @Test
  void bucketOfAnotherSize_countsWhatIsTaken() {
    assertThat(now(token(1))).isEqualTo(DONE);
    Turn waits = ask(token(1));
    assertThat(now(token(3))).isEqualTo(DONE); // the earlier waiter is served first
    assertThat(waits.reply()).isEqualTo(DONE);
    assertThat(call(token(3), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(call(token(2), 0).reply()).isEqualTo(TIMED_OUT);
    Turn stopped = ask(token(0));
    pass(5 * SECOND);
    assertThat(stopped.reply()).isNull();
    assertThat(now(token(2))).isEqualTo(DONE);
    assertThat(stopped.reply()).isEqualTo(DONE);
  }

  @Test
  void bucketOfAnotherInterval_isFilledOnItsGrid() {
    assertThat(now(token(1))).isEqualTo(DONE);
    pass(150 * MILLI);
    Turn waits = ask(new Operation.TakeToken(1, 100 * MILLI));
    pass(50 * MILLI - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(DONE);
  }

  @Test
  void tokenThatNobodyTook_isGivenToTheNext() {
    Turn gone = ask(token(1));
    assertThat(gone.reply()).isEqualTo(DONE);
    Turn waits = ask(token(1));
    cancel(gone);
    assertThat(gone.take()).isFalse();
    assertThat(waits.reply()).isEqualTo(DONE);
    assertThat(waits.take()).isTrue();
    cancel(waits); // too late: the answer has been taken
    assertThat(call(token(1), 0).reply()).isEqualTo(TIMED_OUT);
  }

  @Test
  void tokenOfAnIntervalThatIsOver_isNotGivenBack() {
    Turn gone = ask(token(1));
    pass(SECOND);
    assertThat(now(token(1))).isEqualTo(DONE);
    cancel(gone);
    assertThat(call(token(1), 0).reply()).isEqualTo(TIMED_OUT);
  }

  @Test
  void whoWaitsAndGoes_takesNothing_andOthersKeepTheirOrder() {
    assertThat(now(token(1))).isEqualTo(DONE);
    List<Turn> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(ask(token(1)));
    }
    cancel(waiting.get(0));
    cancel(waiting.get(3));
    pass(SECOND);
    assertThat(waiting).extracting(Turn::reply).containsExactly(null, DONE, null, null, null);
    pass(SECOND);
    assertThat(waiting).extracting(Turn::reply).containsExactly(null, DONE, DONE, null, null);
    pass(SECOND);
    assertThat(waiting).extracting(Turn::reply).containsExactly(null, DONE, DONE, null, DONE);
  }

  @Test
  void whoHasWaitedLongEnough_isTold_unlessHeIsServedAtThatVeryInstant() {
    assertThat(now(token(1))).isEqualTo(DONE);
    Turn early = call(token(1), SECOND - 1);
    Turn exact = call(token(1), SECOND);
    pass(SECOND - 2);
    assertThat(early.reply()).isNull();
    pass(1);
    assertThat(early.reply()).isEqualTo(TIMED_OUT);
    pass(1);
    assertThat(exact.reply()).isEqualTo(DONE);
    assertThat(statistics(Kind.TOKENBUCKET))
        .containsEntry("acquired", 2L)
        .containsEntry("timed_out", 1L)
        .containsEntry("total_wait_time", 1000L)
        .containsEntry("average_wait_time", 500.0);
  }

  @Test
  void semaphore_hasSoManyPlaces_andGivesThemInOrder() {
    assertThat(now(place(2, "a"))).isEqualTo(new Reply.Said("a"));
    assertThat(now(place(2, "b"))).isEqualTo(new Reply.Said("b"));
    Turn c = ask(place(2, "c"));
    Turn d = ask(place(2, "d"));
    assertThat(now(new Operation.Release("a"))).isEqualTo(DONE);
    assertThat(c.reply()).isEqualTo(new Reply.Said("c"));
    assertThat(d.reply()).isNull();
    assertThat(now(new Operation.Release("a"))).isInstanceOf(Reply.Conflict.class);
    assertThat(call(place(2, "e"), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(statistics(Kind.SEMAPHORE))
        .containsEntry("acquired", 3L)
        .containsEntry("released", 1L)
        .containsEntry("timed_out", 1L)
        .containsEntry("max_ever_held", 2L);
  }

  @Test
  void heldKey_isHeldOn_andItsTimerKept() {
    assertThat(now(place(1, "a"))).isEqualTo(new Reply.Said("a"));
    pass(59 * SECOND);
    assertThat(now(new Operation.Acquire(1, "a", 0))).isEqualTo(new Reply.Said("a"));
    Turn b = ask(place(1, "b"));
    pass(SECOND - 1);
    assertThat(b.reply()).isNull();
    pass(1);
    assertThat(b.reply()).isEqualTo(new Reply.Said("b"));
    assertThat(now(new Operation.Release("a"))).isInstanceOf(Reply.Conflict.class);
    assertThat(statistics(Kind.SEMAPHORE))
        .containsEntry("reacquired", 1L)
        .containsEntry("expired", 1L);
  }

  @Test
  void heldKey_again_waitsForNothing_thoughOthersWait() {
    now(place(1, "a"));
    Turn waits = ask(place(1, "b"));
    assertThat(call(place(1, "a"), 0).reply()).isEqualTo(new Reply.Said("a"));
    assertThat(now(place(2, "a"))).isEqualTo(new Reply.Said("a"));
    assertThat(waits.reply()).as("there is one more place").isEqualTo(new Reply.Said("b"));
    assertThat(statistics(Kind.SEMAPHORE)).containsEntry("reacquired", 2L);
  }

  @Test
  void placeThatNobodyTook_isHeld_onceItsKeyAskedAgain() {
    Turn unheard = ask(place(1, "a"));
    Turn waits = ask(place(1, "b"));
    assertThat(now(place(1, "a"))).isEqualTo(new Reply.Said("a"));
    cancel(unheard);
    assertThat(waits.reply()).isNull();
    Turn again = ask(place(1, "a"));
    cancel(again);
    assertThat(waits.reply()).isNull();
    now(new Operation.Release("a"));
    assertThat(waits.reply()).isEqualTo(new Reply.Said("b"));
  }

  @Test
  void holdWithoutExpiry_isHeldForEver() {
    assertThat(now(new Operation.Acquire(1, "a", 0))).isEqualTo(new Reply.Said("a"));
    Turn b = ask(place(1, "b"));
    pass(1_000_000 * SECOND);
    assertThat(b.reply()).isNull();
    assertThat(now(new Operation.Release("a"))).isEqualTo(DONE);
    assertThat(b.reply()).isEqualTo(new Reply.Said("b"));
  }

  @Test
  void semaphoreOfAnotherSize_countsWhatIsHeld() {
    now(place(2, "a"));
    now(place(2, "b"));
    Turn c = ask(place(1, "c"));
    now(new Operation.Release("a"));
    assertThat(c.reply()).isNull();
    assertThat(now(place(3, "d"))).isEqualTo(new Reply.Said("d"));
    assertThat(c.reply()).isEqualTo(new Reply.Said("c"));
    Turn stopped = ask(place(0, "e"));
    List.of("b", "c", "d").forEach(key -> now(new Operation.Release(key)));
    assertThat(stopped.reply()).isNull();
    assertThat(now(place(5, "f"))).isEqualTo(new Reply.Said("f"));
    assertThat(stopped.reply()).isEqualTo(new Reply.Said("e"));
  }

  @Test
  void placeThatNobodyTook_isFree_butNotThatOfAnotherUnderTheSameKey() {
    Turn gone = ask(place(1, "a"));
    Turn waits = ask(place(1, "b"));
    cancel(gone);
    assertThat(waits.reply()).isEqualTo(new Reply.Said("b"));
    assertThat(waits.take()).isTrue();
    now(new Operation.Release("b"));
    Turn late = ask(place(1, "a"));
    now(new Operation.Release("a"));
    assertThat(now(place(1, "a"))).isEqualTo(new Reply.Said("a"));
    cancel(late);
    assertThat(call(place(1, "c"), 0).reply()).isEqualTo(TIMED_OUT);
  }

  @Test
  void release_makesNoSemaphore() {
    assertThat(now(new Operation.Release("a"))).isInstanceOf(Reply.Conflict.class);
    assertThat(now(new Operation.Inspect(Kind.SEMAPHORE))).isEqualTo(new Reply.Missing());
  }

  @Test
  void event_letsAllGoThatWait_andAllThatCome() {
    Turn before = ask(new Operation.AwaitEvent());
    Turn gaveUp = call(new Operation.AwaitEvent(), SECOND);
    pass(SECOND);
    assertThat(gaveUp.reply()).isEqualTo(TIMED_OUT);
    assertThat(before.reply()).isNull();
    assertThat(now(new Operation.Send("hello"))).isEqualTo(DONE);
    assertThat(before.reply()).isEqualTo(new Reply.Said("hello"));
    assertThat(now(new Operation.AwaitEvent())).isEqualTo(new Reply.Said("hello"));
    assertThat(now(new Operation.Send("again"))).isInstanceOf(Reply.Conflict.class);
    assertThat(now(new Operation.AwaitEvent())).isEqualTo(new Reply.Said("hello"));
    assertThat(statistics(Kind.EVENT))
        .containsEntry("waited", 3L)
        .containsEntry("timed_out", 1L)
        .containsEntry("triggered", 1L);
    assertThat(now(new Operation.Delete(Kind.EVENT))).isEqualTo(DONE);
    assertThat(call(new Operation.AwaitEvent(), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(now(new Operation.Send(""))).isEqualTo(DONE);
    assertThat(now(new Operation.AwaitEvent())).isEqualTo(DONE);
  }

  @Test
  void watchdog_letsThoseGoWhoWait_whenItIsNotKickedInTime() {
    Turn first = ask(new Operation.AwaitSilence());
    pass(59 * SECOND);
    assertThat(now(new Operation.Kick(10 * SECOND))).isEqualTo(DONE);
    pass(9 * SECOND);
    assertThat(now(new Operation.Kick(10 * SECOND))).isEqualTo(DONE);
    pass(10 * SECOND - 1);
    assertThat(first.reply()).isNull();
    pass(1);
    assertThat(first.reply()).isEqualTo(DONE);
    assertThat(now(new Operation.AwaitSilence())).isEqualTo(DONE);
    now(new Operation.Kick(SECOND));
    assertThat(call(new Operation.AwaitSilence(), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(statistics(Kind.WATCHDOG))
        .containsEntry("waited", 2L)
        .containsEntry("kicks", 3L)
        .containsEntry("timed_out", 1L)
        .extractingByKey("last_kick")
        .asString()
        .endsWith("Z");
  }

  @Test
  void watchdogThatNobodyKicked_goesOffAMinuteAfterTheFirstWait() {
    Turn first = ask(new Operation.AwaitSilence());
    assertThat(statistics(Kind.WATCHDOG)).containsEntry("last_kick", "");
    pass(60 * SECOND - 1);
    assertThat(first.reply()).isNull();
    pass(1);
    assertThat(first.reply()).isEqualTo(DONE);
  }

  @Test
  void counter_addsUp() {
    assertThat(now(new Operation.Value())).isEqualTo(new Reply.Said("0"));
    assertThat(now(new Operation.Count(5))).isEqualTo(new Reply.Said("5"));
    assertThat(now(new Operation.Count(-7))).isEqualTo(new Reply.Said("-2"));
    assertThat(now(new Operation.Reset(Long.MAX_VALUE))).isEqualTo(DONE);
    assertThat(now(new Operation.Count(1))).isInstanceOf(Reply.Conflict.class);
    assertThat(now(new Operation.Value())).isEqualTo(new Reply.Said("9223372036854775807"));
    assertThat(now(new Operation.Reset(Long.MIN_VALUE))).isEqualTo(DONE);
    assertThat(now(new Operation.Count(-1))).isInstanceOf(Reply.Conflict.class);
    assertThat(statistics(Kind.COUNTER))
        .containsEntry("value", Long.MIN_VALUE)
        .containsEntry("increments", 2L)
        .containsEntry("resets", 2L);
  }

  @Test
  void barrier_letsAllGoAtOnce_andNobodyAfterwards() {
    Turn first = ask(new Operation.Arrive(3));
    Turn gaveUp = call(new Operation.Arrive(3), SECOND);
    pass(SECOND);
    assertThat(gaveUp.reply()).isEqualTo(TIMED_OUT);
    Turn second = ask(new Operation.Arrive(3));
    assertThat(statistics(Kind.BARRIER)).containsEntry("waiting", 2L).containsEntry("size", 3L);
    assertThat(first.reply()).isNull();
    assertThat(now(new Operation.Arrive(3))).isEqualTo(DONE);
    assertThat(List.of(first, second)).extracting(Turn::reply).containsExactly(DONE, DONE);
    assertThat(now(new Operation.Arrive(3))).isInstanceOf(Reply.Conflict.class);
    assertThat(statistics(Kind.BARRIER))
        .containsEntry("waiting", 0L)
        .containsEntry("total_waited", 3L)
        .containsEntry("triggered", 1L)
        .containsEntry("timed_out", 1L);
  }

  @Test
  void barrierOfAnotherSize_opensAtOnceWhenThereAreEnough() {
    Turn first = ask(new Operation.Arrive(5));
    Turn stops = ask(new Operation.Arrive(0));
    assertThat(now(new Operation.Arrive(2))).isEqualTo(DONE);
    assertThat(List.of(first, stops)).extracting(Turn::reply).containsExactly(DONE, DONE);
  }

  @Test
  void deletedBarrier_letsGo_andOthersSayThatTheyWere() {
    Turn atBarrier = ask(new Operation.Arrive(2));
    Turn atEvent = ask(new Operation.AwaitEvent());
    assertThat(now(new Operation.Delete(Kind.BARRIER))).isEqualTo(DONE);
    assertThat(now(new Operation.Delete(Kind.EVENT))).isEqualTo(DONE);
    assertThat(atBarrier.reply()).isEqualTo(DONE);
    assertThat(atEvent.reply()).isInstanceOf(Reply.Conflict.class);
    assertThat(now(new Operation.Delete(Kind.EVENT))).isEqualTo(new Reply.Missing());
    assertThat(now(new Operation.Inspect(Kind.BARRIER))).isEqualTo(new Reply.Missing());
  }

  @Test
  void objectsOfOneName_areOnesOfTheirKind() {
    assertThat(now(new Operation.Count(1))).isEqualTo(new Reply.Said("1"));
    assertThat(now(new Operation.Inspect(Kind.EVENT))).isEqualTo(new Reply.Missing());
    Turn other = call("other", new Operation.Count(1), 0);
    assertThat(other.reply()).isEqualTo(new Reply.Said("1"));
  }

  @Test
  void listener_isToldOnce_whicheverComesFirst() {
    List<Reply> told = new ArrayList<>();
    Turn waits = ask(new Operation.AwaitEvent());
    waits.whenAnswered(told::add);
    assertThat(told).isEmpty();
    now(new Operation.Send("x"));
    ask(new Operation.AwaitEvent()).whenAnswered(told::add);
    waits.tell();
    assertThat(told).containsExactly(new Reply.Said("x"), new Reply.Said("x"));
  }

  @Test
  void dismissal_endsAllWaits() {
    Turn event = ask(new Operation.AwaitEvent());
    Turn gone = ask(new Operation.AwaitEvent());
    cancel(gone);
    Reply answer = new Reply.Stopping();
    coordination().dismiss(answer);
    settle();
    assertThat(event.reply()).isEqualTo(answer);
    assertThat(gone.reply()).isNull();
  }
}
