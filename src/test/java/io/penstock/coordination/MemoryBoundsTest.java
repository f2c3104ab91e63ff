package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the bounds of objects that an instance keeps in memory. */
class MemoryBoundsTest extends ObjectBoundsContract {
  private final ManualAlarm alarm = new ManualAlarm();
  private final MemoryCoordination memory =
      new MemoryCoordination(BOUNDS, alarm.ticker, () -> 0, alarm);

  @Override
  protected CoordinationService coordination() {
    return memory;
  }

  @Override
  protected void settle() {
    // everything is done at once
  }

  @Test
  void objectsThatExpired_areNotCounted() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 20; i++) {
        assertThat(memory.call("a", "c" + round + "." + i, new ObjectOperation.Count(1), 0).reply())
            .isEqualTo(new ObjectReply.Result("1"));
      }
      assertThat(memory.call("a", "more", new ObjectOperation.Count(1), 0).reply())
          .isInstanceOf(ObjectReply.Full.class);
      alarm.pass(BOUNDS.idleNanos());
      assertThat(memory.objects()).isZero();
      assertThat(memory.bytes()).isZero();
    }
  }

  @Test
  void clientsThatWentAway_areNotCounted() {
    for (int i = 0; i < 100; i++) {
      ClientTurn turn =
          memory.call("a", "e", new ObjectOperation.AwaitEvent(), CoordinationService.FOR_EVER);
      assertThat(turn.reply()).isNull();
      turn.cancel();
    }
    assertThat(memory.waiting()).isZero();
    assertThat(memory.bytes()).isEqualTo(ObjectFootprint.empty("e"));
  }
}
