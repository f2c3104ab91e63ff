package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of all coordination services. */
public abstract class CoordinationServiceContract extends CoordinationServiceClient {
  static final long MILLI = 1_000_000L;
  static final long SECOND = 1_000 * MILLI;
  static final ObjectReply DONE = new ObjectReply.Done();
  static final ObjectReply TIMED_OUT = new ObjectReply.TimedOut();

  private static ObjectOperation token(long size) {
    return new ObjectOperation.TakeToken(size, SECOND);
  }

  private static ObjectOperation place(long size, String key) {
    return new ObjectOperation.Acquire(size, key, 60 * SECOND);
  }

  @Test
  void bucket_isFilledAtOnceEveryIntervalFromItsCreation() {
    assertThat(now(token(2))).isEqualTo(DONE);
    pass(300 * MILLI);
    assertThat(now(token(2))).isEqualTo(DONE);
    List<ClientTurn> waiting = List.of(ask(token(2)), ask(token(2)), ask(token(2)));
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
    ClientTurn waits = ask(token(1));
    assertThat(now(token(3))).isEqualTo(DONE); // the earlier waiter is served first
    assertThat(waits.reply()).isEqualTo(DONE);
    assertThat(call(token(3), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(call(token(2), 0).reply()).isEqualTo(TIMED_OUT);
    ClientTurn stopped = ask(token(0));
    pass(5 * SECOND);
    assertThat(stopped.reply()).isNull();
    assertThat(now(token(2))).isEqualTo(DONE);
    assertThat(stopped.reply()).isEqualTo(DONE);
  }

  @Test
  void bucketOfAnotherInterval_isFilledOnItsGrid() {
    assertThat(now(token(1))).isEqualTo(DONE);
    pass(150 * MILLI);
    ClientTurn waits = ask(new ObjectOperation.TakeToken(1, 100 * MILLI));
    pass(50 * MILLI - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(DONE);
  }

  @Test
  void tokenThatNobodyTook_isGivenToTheNext() {
    ClientTurn departed = ask(token(1));
    assertThat(departed.reply()).isEqualTo(DONE);
    ClientTurn waits = ask(token(1));
    cancel(departed);
    assertThat(departed.take()).isFalse();
    assertThat(waits.reply()).isEqualTo(DONE);
    assertThat(waits.take()).isTrue();
    cancel(waits); // too late: the answer has been taken
    assertThat(call(token(1), 0).reply()).isEqualTo(TIMED_OUT);
  }

  @Test
  void tokenOfAnIntervalThatIsOver_isNotGivenBack() {
    ClientTurn departed = ask(token(1));
    pass(SECOND);
    assertThat(now(token(1))).isEqualTo(DONE);
    cancel(departed);
    assertThat(call(token(1), 0).reply()).isEqualTo(TIMED_OUT);
  }

  @Test
  void whoWaitsAndGoes_takesNothing_andOthersKeepTheirOrder() {
    assertThat(now(token(1))).isEqualTo(DONE);
    List<ClientTurn> waiting = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      waiting.add(ask(token(1)));
    }
    cancel(waiting.get(0));
    cancel(waiting.get(3));
    pass(SECOND);
    assertThat(waiting).extracting(ClientTurn::reply).containsExactly(null, DONE, null, null, null);
    pass(SECOND);
    assertThat(waiting).extracting(ClientTurn::reply).containsExactly(null, DONE, DONE, null, null);
    pass(SECOND);
    assertThat(waiting).extracting(ClientTurn::reply).containsExactly(null, DONE, DONE, null, DONE);
  }

  @Test
  void whoHasWaitedLongEnough_isTold_unlessHeIsServedAtThatVeryInstant() {
    assertThat(now(token(1))).isEqualTo(DONE);
    ClientTurn early = call(token(1), SECOND - 1);
    ClientTurn exact = call(token(1), SECOND);
    pass(SECOND - 2);
    assertThat(early.reply()).isNull();
    pass(1);
    assertThat(early.reply()).isEqualTo(TIMED_OUT);
    pass(1);
    assertThat(exact.reply()).isEqualTo(DONE);
    assertThat(statistics(ObjectKind.TOKENBUCKET))
        .containsEntry("acquired", 2L)
        .containsEntry("timed_out", 1L)
        .containsEntry("total_wait_time", 1000L)
        .containsEntry("average_wait_time", 500.0);
  }

  @Test
  void semaphore_hasSoManyPlaces_andGivesThemInOrder() {
    assertThat(now(place(2, "a"))).isEqualTo(new ObjectReply.Result("a"));
    assertThat(now(place(2, "b"))).isEqualTo(new ObjectReply.Result("b"));
    ClientTurn c = ask(place(2, "c"));
    ClientTurn d = ask(place(2, "d"));
    assertThat(now(new ObjectOperation.Release("a"))).isEqualTo(DONE);
    assertThat(c.reply()).isEqualTo(new ObjectReply.Result("c"));
    assertThat(d.reply()).isNull();
    assertThat(now(new ObjectOperation.Release("a"))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(call(place(2, "e"), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .containsEntry("acquired", 3L)
        .containsEntry("released", 1L)
        .containsEntry("timed_out", 1L)
        .containsEntry("max_ever_held", 2L);
  }

  @Test
  void heldKey_isHeldOn_andItsTimerKept() {
    assertThat(now(place(1, "a"))).isEqualTo(new ObjectReply.Result("a"));
    pass(59 * SECOND);
    assertThat(now(new ObjectOperation.Acquire(1, "a", 0))).isEqualTo(new ObjectReply.Result("a"));
    ClientTurn b = ask(place(1, "b"));
    pass(SECOND - 1);
    assertThat(b.reply()).isNull();
    pass(1);
    assertThat(b.reply()).isEqualTo(new ObjectReply.Result("b"));
    assertThat(now(new ObjectOperation.Release("a"))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .containsEntry("reacquired", 1L)
        .containsEntry("expired", 1L);
  }

  @Test
  void heldKey_again_waitsForNothing_thoughOthersWait() {
    now(place(1, "a"));
    ClientTurn waits = ask(place(1, "b"));
    assertThat(call(place(1, "a"), 0).reply()).isEqualTo(new ObjectReply.Result("a"));
    assertThat(now(place(2, "a"))).isEqualTo(new ObjectReply.Result("a"));
    assertThat(waits.reply()).as("there is one more place").isEqualTo(new ObjectReply.Result("b"));
    assertThat(statistics(ObjectKind.SEMAPHORE)).containsEntry("reacquired", 2L);
  }

  @Test
  void placeThatNobodyTook_isHeld_onceItsKeyAskedAgain() {
    ClientTurn cancelled = ask(place(1, "a"));
    ClientTurn waits = ask(place(1, "b"));
    assertThat(now(place(1, "a"))).isEqualTo(new ObjectReply.Result("a"));
    cancel(cancelled);
    assertThat(waits.reply()).isNull();
    ClientTurn again = ask(place(1, "a"));
    cancel(again);
    assertThat(waits.reply()).isNull();
    now(new ObjectOperation.Release("a"));
    assertThat(waits.reply()).isEqualTo(new ObjectReply.Result("b"));
  }

  @Test
  void holdWithoutExpiry_isHeldForEver() {
    assertThat(now(new ObjectOperation.Acquire(1, "a", 0))).isEqualTo(new ObjectReply.Result("a"));
    ClientTurn b = ask(place(1, "b"));
    pass(1_000_000 * SECOND);
    assertThat(b.reply()).isNull();
    assertThat(now(new ObjectOperation.Release("a"))).isEqualTo(DONE);
    assertThat(b.reply()).isEqualTo(new ObjectReply.Result("b"));
  }

  @Test
  void semaphoreOfAnotherSize_countsWhatIsHeld() {
    now(place(2, "a"));
    now(place(2, "b"));
    ClientTurn c = ask(place(1, "c"));
    now(new ObjectOperation.Release("a"));
    assertThat(c.reply()).isNull();
    assertThat(now(place(3, "d"))).isEqualTo(new ObjectReply.Result("d"));
    assertThat(c.reply()).isEqualTo(new ObjectReply.Result("c"));
    ClientTurn stopped = ask(place(0, "e"));
    List.of("b", "c", "d").forEach(key -> now(new ObjectOperation.Release(key)));
    assertThat(stopped.reply()).isNull();
    assertThat(now(place(5, "f"))).isEqualTo(new ObjectReply.Result("f"));
    assertThat(stopped.reply()).isEqualTo(new ObjectReply.Result("e"));
  }

  @Test
  void placeThatNobodyTook_isFree_butNotThatOfAnotherUnderTheSameKey() {
    ClientTurn departed = ask(place(1, "a"));
    ClientTurn waits = ask(place(1, "b"));
    cancel(departed);
    assertThat(waits.reply()).isEqualTo(new ObjectReply.Result("b"));
    assertThat(waits.take()).isTrue();
    now(new ObjectOperation.Release("b"));
    ClientTurn late = ask(place(1, "a"));
    now(new ObjectOperation.Release("a"));
    assertThat(now(place(1, "a"))).isEqualTo(new ObjectReply.Result("a"));
    cancel(late);
    assertThat(call(place(1, "c"), 0).reply()).isEqualTo(TIMED_OUT);
  }

  @Test
  void release_makesNoSemaphore() {
    assertThat(now(new ObjectOperation.Release("a"))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(now(new ObjectOperation.Inspect(ObjectKind.SEMAPHORE)))
        .isEqualTo(new ObjectReply.Missing());
  }

  @Test
  void event_letsAllGoThatWait_andAllThatCome() {
    ClientTurn before = ask(new ObjectOperation.AwaitEvent());
    ClientTurn gaveUp = call(new ObjectOperation.AwaitEvent(), SECOND);
    pass(SECOND);
    assertThat(gaveUp.reply()).isEqualTo(TIMED_OUT);
    assertThat(before.reply()).isNull();
    assertThat(now(new ObjectOperation.Send("hello"))).isEqualTo(DONE);
    assertThat(before.reply()).isEqualTo(new ObjectReply.Result("hello"));
    assertThat(now(new ObjectOperation.AwaitEvent())).isEqualTo(new ObjectReply.Result("hello"));
    assertThat(now(new ObjectOperation.Send("again"))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(now(new ObjectOperation.AwaitEvent())).isEqualTo(new ObjectReply.Result("hello"));
    assertThat(statistics(ObjectKind.EVENT))
        .containsEntry("waited", 3L)
        .containsEntry("timed_out", 1L)
        .containsEntry("triggered", 1L);
    assertThat(now(new ObjectOperation.Delete(ObjectKind.EVENT))).isEqualTo(DONE);
    assertThat(call(new ObjectOperation.AwaitEvent(), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(now(new ObjectOperation.Send(""))).isEqualTo(DONE);
    assertThat(now(new ObjectOperation.AwaitEvent())).isEqualTo(DONE);
  }

  @Test
  void watchdog_letsThoseGoWhoWait_whenItIsNotKickedInTime() {
    ClientTurn first = ask(new ObjectOperation.AwaitSilence());
    pass(59 * SECOND);
    assertThat(now(new ObjectOperation.Kick(10 * SECOND))).isEqualTo(DONE);
    pass(9 * SECOND);
    assertThat(now(new ObjectOperation.Kick(10 * SECOND))).isEqualTo(DONE);
    pass(10 * SECOND - 1);
    assertThat(first.reply()).isNull();
    pass(1);
    assertThat(first.reply()).isEqualTo(DONE);
    assertThat(now(new ObjectOperation.AwaitSilence())).isEqualTo(DONE);
    now(new ObjectOperation.Kick(SECOND));
    assertThat(call(new ObjectOperation.AwaitSilence(), 0).reply()).isEqualTo(TIMED_OUT);
    assertThat(statistics(ObjectKind.WATCHDOG))
        .containsEntry("waited", 2L)
        .containsEntry("kicks", 3L)
        .containsEntry("timed_out", 1L)
        .extractingByKey("last_kick")
        .asString()
        .endsWith("Z");
  }

  @Test
  void watchdogThatNobodyKicked_goesOffAMinuteAfterTheFirstWait() {
    ClientTurn first = ask(new ObjectOperation.AwaitSilence());
    assertThat(statistics(ObjectKind.WATCHDOG)).containsEntry("last_kick", "");
    pass(60 * SECOND - 1);
    assertThat(first.reply()).isNull();
    pass(1);
    assertThat(first.reply()).isEqualTo(DONE);
  }

  @Test
  void counter_addsUp() {
    assertThat(now(new ObjectOperation.Value())).isEqualTo(new ObjectReply.Result("0"));
    assertThat(now(new ObjectOperation.Count(5))).isEqualTo(new ObjectReply.Result("5"));
    assertThat(now(new ObjectOperation.Count(-7))).isEqualTo(new ObjectReply.Result("-2"));
    assertThat(now(new ObjectOperation.Reset(Long.MAX_VALUE))).isEqualTo(DONE);
    assertThat(now(new ObjectOperation.Count(1))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(now(new ObjectOperation.Value()))
        .isEqualTo(new ObjectReply.Result("9223372036854775807"));
    assertThat(now(new ObjectOperation.Reset(Long.MIN_VALUE))).isEqualTo(DONE);
    assertThat(now(new ObjectOperation.Count(-1))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(statistics(ObjectKind.COUNTER))
        .containsEntry("value", Long.MIN_VALUE)
        .containsEntry("increments", 2L)
        .containsEntry("resets", 2L);
  }

  @Test
  void barrier_letsAllGoAtOnce_andNobodyAfterwards() {
    ClientTurn first = ask(new ObjectOperation.Arrive(3));
    ClientTurn gaveUp = call(new ObjectOperation.Arrive(3), SECOND);
    pass(SECOND);
    assertThat(gaveUp.reply()).isEqualTo(TIMED_OUT);
    ClientTurn second = ask(new ObjectOperation.Arrive(3));
    assertThat(statistics(ObjectKind.BARRIER))
        .containsEntry("waiting", 2L)
        .containsEntry("size", 3L);
    assertThat(first.reply()).isNull();
    assertThat(now(new ObjectOperation.Arrive(3))).isEqualTo(DONE);
    assertThat(List.of(first, second)).extracting(ClientTurn::reply).containsExactly(DONE, DONE);
    assertThat(now(new ObjectOperation.Arrive(3))).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(statistics(ObjectKind.BARRIER))
        .containsEntry("waiting", 0L)
        .containsEntry("total_waited", 3L)
        .containsEntry("triggered", 1L)
        .containsEntry("timed_out", 1L);
  }

  @Test
  void barrierOfAnotherSize_opensAtOnceWhenThereAreEnough() {
    ClientTurn first = ask(new ObjectOperation.Arrive(5));
    ClientTurn stops = ask(new ObjectOperation.Arrive(0));
    assertThat(now(new ObjectOperation.Arrive(2))).isEqualTo(DONE);
    assertThat(List.of(first, stops)).extracting(ClientTurn::reply).containsExactly(DONE, DONE);
  }

  @Test
  void deletedBarrier_letsGo_andOthersSayThatTheyWere() {
    ClientTurn atBarrier = ask(new ObjectOperation.Arrive(2));
    ClientTurn atEvent = ask(new ObjectOperation.AwaitEvent());
    assertThat(now(new ObjectOperation.Delete(ObjectKind.BARRIER))).isEqualTo(DONE);
    assertThat(now(new ObjectOperation.Delete(ObjectKind.EVENT))).isEqualTo(DONE);
    assertThat(atBarrier.reply()).isEqualTo(DONE);
    assertThat(atEvent.reply()).isInstanceOf(ObjectReply.Conflict.class);
    assertThat(now(new ObjectOperation.Delete(ObjectKind.EVENT)))
        .isEqualTo(new ObjectReply.Missing());
    assertThat(now(new ObjectOperation.Inspect(ObjectKind.BARRIER)))
        .isEqualTo(new ObjectReply.Missing());
  }

  @Test
  void objectsOfOneName_areOnesOfTheirKind() {
    assertThat(now(new ObjectOperation.Count(1))).isEqualTo(new ObjectReply.Result("1"));
    assertThat(now(new ObjectOperation.Inspect(ObjectKind.EVENT)))
        .isEqualTo(new ObjectReply.Missing());
    ClientTurn other = call("other", new ObjectOperation.Count(1), 0);
    assertThat(other.reply()).isEqualTo(new ObjectReply.Result("1"));
  }

  @Test
  void listener_isToldOnce_whicheverComesFirst() {
    List<ObjectReply> answers = new ArrayList<>();
    ClientTurn waits = ask(new ObjectOperation.AwaitEvent());
    waits.whenAnswered(answers::add);
    assertThat(answers).isEmpty();
    now(new ObjectOperation.Send("x"));
    ask(new ObjectOperation.AwaitEvent()).whenAnswered(answers::add);
    waits.deliverAnswer();
    assertThat(answers).containsExactly(new ObjectReply.Result("x"), new ObjectReply.Result("x"));
  }

  @Test
  void dismissal_endsAllWaits() {
    ClientTurn event = ask(new ObjectOperation.AwaitEvent());
    ClientTurn departed = ask(new ObjectOperation.AwaitEvent());
    cancel(departed);
    ObjectReply answer = new ObjectReply.Stopping();
    coordination().dismiss(answer);
    settle();
    assertThat(event.reply()).isEqualTo(answer);
    assertThat(departed.reply()).isNull();
  }
}
