package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Tests watchdogs, events and counters: which objects a first operation creates, and when waiters
 * are released.
 */
class WatchdogObjectTest extends MemoryClient {
  @Test
  void firstKick_makesAWatchdog() {
    assertThat(now(new ObjectOperation.Kick(2 * SECOND))).isEqualTo(ObjectReplies.DONE);
    ClientTurn waits = ask(new ObjectOperation.AwaitSilence());
    pass(2 * SECOND - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void kickForAShorterTime_letsThoseGoEarlierWhoWaitAlready() {
    ClientTurn waits = ask(new ObjectOperation.AwaitSilence());
    now(new ObjectOperation.Kick(SECOND));
    pass(SECOND - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void kickForNoTime_letsAllGoAtOnce() {
    ClientTurn waits = ask(new ObjectOperation.AwaitSilence());
    now(new ObjectOperation.Kick(0));
    assertThat(waits.reply()).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void event_saysHowLongItWasWaitedFor() {
    ask(new ObjectOperation.AwaitEvent());
    pass(2 * SECOND);
    now(new ObjectOperation.Send(""));
    assertThat(statistics(ObjectKind.EVENT))
        .containsEntry("total_wait_time", 2_000L)
        .containsEntry("average_wait_time", 2_000.0);
  }

  @Test
  void firstReset_makesACounter() {
    assertThat(now(new ObjectOperation.Reset(7))).isEqualTo(ObjectReplies.DONE);
    assertThat(now(new ObjectOperation.Value())).isEqualTo(new ObjectReply.Result("7"));
  }
}
