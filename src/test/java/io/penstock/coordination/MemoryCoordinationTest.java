package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryCoordinationTest extends CoordinationServiceContract {
  private static final long HOUR = 3_600 * SECOND;

  private final ManualAlarm alarm = new ManualAlarm();
  private MemoryCoordination memory = made(new ObjectBounds(10, 20, 1_000_000, 1, 5, HOUR));

  private MemoryCoordination made(ObjectBounds bounds) {
    return new MemoryCoordination(bounds, alarm.ticker, () -> 1_700_000_000_000L, alarm);
  }

  @Override
  protected CoordinationService coordination() {
    return memory;
  }

  @Override
  protected void pass(long nanos) {
    alarm.pass(nanos);
  }

  @Test
  void soManyWait_andNotOneMore() {
    List<ClientTurn> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(ask(new ObjectOperation.AwaitEvent()));
    }
    assertThat(waiting).allSatisfy(turn -> assertThat(turn.reply()).isNull());
    assertThat(ask(new ObjectOperation.Arrive(2)).reply())
        .isEqualTo(new ObjectReply.Full("10 clients wait already"));
    assertThat(call(new ObjectOperation.Arrive(2), 0).reply()).isEqualTo(TIMED_OUT);
    waiting.getFirst().cancel();
    assertThat(memory.waiting()).isEqualTo(9);
    assertThat(ask(new ObjectOperation.Arrive(2)).reply()).isNull();
    now(new ObjectOperation.Send(""));
    assertThat(memory.waiting()).isEqualTo(1);
    pass(SECOND);
    assertThat(call(new ObjectOperation.AwaitSilence(), SECOND).reply()).isNull();
    pass(SECOND);
    assertThat(memory.waiting()).isEqualTo(1);
    now(new ObjectOperation.Delete(ObjectKind.BARRIER));
    assertThat(memory.waiting()).isZero();
  }

  @Test
  void soManyObjectsAreThere_andNotOneMore() {
    for (int i = 0; i < 20; i++) {
      assertThat(memory.call("c" + i, new ObjectOperation.Count(1), 0).reply())
          .isEqualTo(new ObjectReply.Result("1"));
    }
    assertThat(memory.call("c20", new ObjectOperation.Count(1), 0).reply())
        .isEqualTo(new ObjectReply.Full("20 objects are there already"));
    assertThat(memory.call("c0", new ObjectOperation.Count(1), 0).reply())
        .isEqualTo(new ObjectReply.Result("2"));
    memory.call("c0", new ObjectOperation.Delete(ObjectKind.COUNTER), 0);
    assertThat(memory.call("c20", new ObjectOperation.Count(1), 0).reply())
        .isEqualTo(new ObjectReply.Result("1"));
  }

  @Test
  void soManyPlacesAreHeld_andNotOneMore() {
    for (int i = 0; i < 5; i++) {
      assertThat(now(new ObjectOperation.Acquire(9, "k" + i, 0)))
          .isEqualTo(new ObjectReply.Result("k" + i));
    }
    assertThat(now(new ObjectOperation.Acquire(9, "k5", 0))).isInstanceOf(ObjectReply.Full.class);
    now(new ObjectOperation.Delete(ObjectKind.SEMAPHORE));
    assertThat(now(new ObjectOperation.Acquire(9, "k5", 0)))
        .isEqualTo(new ObjectReply.Result("k5"));
  }

  @Test
  void idleObject_isForgotten_whenNothingIsLostByThat() {
    now(new ObjectOperation.Count(1));
    now(new ObjectOperation.TakeToken(1, SECOND));
    now(new ObjectOperation.Acquire(1, "short", SECOND));
    memory.call("held", new ObjectOperation.Acquire(1, "long", 0), 0);
    memory.call("long", new ObjectOperation.TakeToken(1, 5 * HOUR), 0);
    now(new ObjectOperation.Send(""));
    pass(HOUR / 2);
    now(new ObjectOperation.Value());
    pass(HOUR / 2 - 1);
    assertThat(memory.objects()).isEqualTo(6);
    pass(1);
    assertThat(memory.objects()).as("the counter, and what is held or taken").isEqualTo(3);
    pass(HOUR / 2);
    assertThat(memory.objects()).isEqualTo(2);
    pass(10 * HOUR);
    assertThat(memory.objects()).as("who is held").isEqualTo(1);
    assertThat(memory.call("held", new ObjectOperation.Acquire(1, "b", 0), 0).reply())
        .isEqualTo(TIMED_OUT);
  }

  @Test
  void eachKindOfObject_isForgotten_unlessSomebodyWaits() {
    for (ObjectOperation first :
        List.of(
            new ObjectOperation.AwaitEvent(),
            new ObjectOperation.AwaitSilence(),
            new ObjectOperation.Arrive(1),
            new ObjectOperation.TakeToken(1, SECOND),
            new ObjectOperation.Acquire(1, "k", SECOND),
            new ObjectOperation.Value())) {
      call(first, 0);
    }
    memory.call("sent", new ObjectOperation.Send("m"), 0);
    memory.call("kicked", new ObjectOperation.Kick(5 * HOUR), 0);
    ClientTurn waits =
        memory.call("awaited", new ObjectOperation.AwaitEvent(), CoordinationService.FOR_EVER);
    assertThat(memory.objects()).isEqualTo(9);
    pass(2 * HOUR);
    assertThat(memory.objects()).as("what is awaited, or kicked not long ago").isEqualTo(2);
    pass(5 * HOUR);
    assertThat(memory.objects()).isEqualTo(1);
    memory.call("awaited", new ObjectOperation.Send("m"), 0);
    assertThat(waits.reply()).isEqualTo(new ObjectReply.Result("m"));
    pass(2 * HOUR);
    assertThat(memory.objects()).isZero();
  }

  @Test
  void manyWhoWait_ringOneAlarmAnHour() {
    memory = made(new ObjectBounds(10_000, 20, 10_000_000, 1, 5, HOUR));
    for (int i = 0; i < 10_000; i++) {
      ask(new ObjectOperation.AwaitEvent());
    }
    pass(24 * HOUR);
    assertThat(alarm.rings).as("looks at an object that might be unused").isEqualTo(24);
    assertThat(memory.waiting()).isEqualTo(10_000);
  }

  @Test
  void closed_setsNoAlarm() {
    memory.close();
    ask(new ObjectOperation.AwaitSilence());
    pass(HOUR);
    assertThat(alarm.rings).isZero();
  }
}
