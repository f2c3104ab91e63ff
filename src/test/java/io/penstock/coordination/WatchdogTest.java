package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Tests watchdogs, events and counters: which objects a first operation creates, and when waiters
 * are released.
 */
class WatchdogTest extends MemoryClient {
  @Test
  void firstKick_makesAWatchdog() {
    assertThat(now(new Operation.Kick(2 * SECOND))).isEqualTo(Replies.DONE);
    Turn waits = ask(new Operation.AwaitSilence());
    pass(2 * SECOND - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(Replies.DONE);
  }

  @Test
  void kickForAShorterTime_letsThoseGoEarlierWhoWaitAlready() {
    Turn waits = ask(new Operation.AwaitSilence());
    now(new Operation.Kick(SECOND));
    pass(SECOND - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(Replies.DONE);
  }

  @Test
  void kickForNoTime_letsAllGoAtOnce() {
    Turn waits = ask(new Operation.AwaitSilence());
    now(new Operation.Kick(0));
    assertThat(waits.reply()).isEqualTo(Replies.DONE);
  }

  @Test
  void event_saysHowLongItWasWaitedFor() {
    ask(new Operation.AwaitEvent());
    pass(2 * SECOND);
    now(new Operation.Send(""));
    assertThat(statistics(Kind.EVENT))
        .containsEntry("total_wait_time", 2_000L)
        .containsEntry("average_wait_time", 2_000.0);
  }

  @Test
  void firstReset_makesACounter() {
    assertThat(now(new Operation.Reset(7))).isEqualTo(Replies.DONE);
    assertThat(now(new Operation.Value())).isEqualTo(new Reply.Said("7"));
  }
}
