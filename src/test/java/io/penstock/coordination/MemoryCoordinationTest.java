package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryCoordinationTest extends CoordinationContract {
  private static final long HOUR = 3_600 * SECOND;

  private final ManualAlarm alarm = new ManualAlarm();
  private MemoryCoordination memory = made(new Bounds(10, 20, 5, HOUR));

  private MemoryCoordination made(Bounds bounds) {
    return new MemoryCoordination(bounds, alarm.ticker, () -> 1_700_000_000_000L, alarm);
  }

  @Override
  protected Coordination coordination() {
    return memory;
  }

  @Override
  protected void pass(long nanos) {
    alarm.pass(nanos);
  }

  @Test
  void soManyWait_andNotOneMore() {
    List<Turn> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(ask(new Operation.AwaitEvent()));
    }
    assertThat(waiting).allSatisfy(turn -> assertThat(turn.reply()).isNull());
    assertThat(ask(new Operation.Arrive(2)).reply())
        .isEqualTo(new Reply.Full("10 clients wait already"));
    assertThat(call(new Operation.Arrive(2), 0).reply()).isEqualTo(TIMED_OUT);
    waiting.getFirst().cancel();
    assertThat(memory.waiting()).isEqualTo(9);
    assertThat(ask(new Operation.Arrive(2)).reply()).isNull();
    now(new Operation.Send(""));
    assertThat(memory.waiting()).isEqualTo(1);
    pass(SECOND);
    assertThat(call(new Operation.AwaitSilence(), SECOND).reply()).isNull();
    pass(SECOND);
    assertThat(memory.waiting()).isEqualTo(1);
    now(new Operation.Delete(Kind.BARRIER));
    assertThat(memory.waiting()).isZero();
  }

  @Test
  void soManyObjectsAreThere_andNotOneMore() {
    for (int i = 0; i < 20; i++) {
      assertThat(memory.call("c" + i, new Operation.Count(1), 0).reply())
          .isEqualTo(new Reply.Said("1"));
    }
    assertThat(memory.call("c20", new Operation.Count(1), 0).reply())
        .isEqualTo(new Reply.Full("20 objects are there already"));
    assertThat(memory.call("c0", new Operation.Count(1), 0).reply()).isEqualTo(new Reply.Said("2"));
    memory.call("c0", new Operation.Delete(Kind.COUNTER), 0);
    assertThat(memory.call("c20", new Operation.Count(1), 0).reply())
        .isEqualTo(new Reply.Said("1"));
  }

  @Test
  void soManyPlacesAreHeld_andNotOneMore() {
    for (int i = 0; i < 5; i++) {
      assertThat(now(new Operation.Acquire(9, "k" + i, 0))).isEqualTo(new Reply.Said("k" + i));
    }
    assertThat(now(new Operation.Acquire(9, "k5", 0))).isInstanceOf(Reply.Full.class);
    now(new Operation.Delete(Kind.SEMAPHORE));
    assertThat(now(new Operation.Acquire(9, "k5", 0))).isEqualTo(new Reply.Said("k5"));
  }

  @Test
  void idleObject_isForgotten_whenNothingIsLostByThat() {
    now(new Operation.Count(1));
    now(new Operation.TakeToken(1, SECOND));
    now(new Operation.Acquire(1, "short", SECOND));
    memory.call("held", new Operation.Acquire(1, "long", 0), 0);
    memory.call("long", new Operation.TakeToken(1, 5 * HOUR), 0);
    now(new Operation.Send(""));
    pass(HOUR / 2);
    now(new Operation.Value());
    pass(HOUR / 2 - 1);
    assertThat(memory.objects()).isEqualTo(6);
    pass(1);
    assertThat(memory.objects()).isEqualTo(4);
    pass(HOUR / 2);
    assertThat(memory.objects()).isEqualTo(3);
    pass(10 * HOUR);
    assertThat(memory.objects()).as("the event and who is held").isEqualTo(2);
    assertThat(memory.call("held", new Operation.Acquire(1, "b", 0), 0).reply())
        .isEqualTo(TIMED_OUT);
  }

  @Test
  void manyWhoWait_ringNoAlarm() {
    memory = made(new Bounds(10_000, 20, 5, HOUR));
    for (int i = 0; i < 10_000; i++) {
      ask(new Operation.AwaitEvent());
    }
    pass(24 * HOUR);
    assertThat(alarm.rings).isZero();
    assertThat(memory.waiting()).isEqualTo(10_000);
  }

  @Test
  void closed_setsNoAlarm() {
    memory.close();
    ask(new Operation.AwaitSilence());
    pass(HOUR);
    assertThat(alarm.rings).isZero();
  }
}
