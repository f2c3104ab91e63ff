package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests which call passes an answer on, and for which instants the alarm is set. */
class WakingTest extends MemoryClient {
  private static final Operation TOKEN = new Operation.TakeToken(1, SECOND);

  private final List<Reply> told = new ArrayList<>();

  /** Calls an operation with a listener for its answer. */
  private Turn listen(Operation operation, long maxWaitNanos) {
    Turn turn = call(operation, maxWaitNanos);
    assertThat(turn.reply()).isNull();
    turn.whenAnswered(told::add);
    return turn;
  }

  @Test
  void whoeverEndsTheWait_tells() {
    listen(new Operation.AwaitEvent(), Coordination.FOR_EVER);
    now(new Operation.Send("hello"));
    assertThat(told).containsExactly(new Reply.Said("hello"));
  }

  @Test
  void whoGoes_tellsTheNext() {
    Turn gone = ask(TOKEN);
    listen(TOKEN, Coordination.FOR_EVER);
    gone.cancel();
    assertThat(told).containsExactly(Replies.DONE);
  }

  @Test
  void time_tellsWhoItServes_andWhoHasWaitedLongEnough() {
    now(TOKEN);
    listen(TOKEN, Coordination.FOR_EVER);
    Turn waitsOn = listen(TOKEN, 2 * SECOND - 1);
    pass(SECOND);
    assertThat(told).containsExactly(Replies.DONE);
    assertThat(memory.waiting()).as("one was served, the other waits on").isEqualTo(1);
    pass(SECOND - 1);
    assertThat(told).containsExactly(Replies.DONE, Replies.TIMED_OUT);
    assertThat(waitsOn.reply()).isEqualTo(Replies.TIMED_OUT);
  }

  @Test
  void dismissal_tellsAll_andNobodyWaitsAnyMore() {
    listen(new Operation.AwaitEvent(), SECOND);
    listen(new Operation.Arrive(2), Coordination.FOR_EVER);
    Reply answer = new Reply.Stopping();
    memory.dismiss(answer);
    assertThat(told).containsExactly(answer, answer);
    assertThat(memory.waiting()).isZero();
    assertThat(ask(new Operation.Arrive(2)).reply()).as("who was dismissed is gone").isNull();
  }

  @Test
  void instantThatTheAlarmIsSetFor_isSetOnce() {
    ask(new Operation.AwaitSilence());
    assertThat(alarm.sets).isEqualTo(1);
    ask(new Operation.AwaitSilence());
    now(new Operation.Send(""));
    assertThat(alarm.sets).as("nothing is due earlier").isEqualTo(1);
    now(new Operation.Kick(SECOND));
    assertThat(alarm.sets).as("something is").isEqualTo(2);
  }

  @Test
  void closed_ringsNoMore() {
    ask(new Operation.AwaitSilence());
    memory.close();
    pass(HOUR);
    assertThat(alarm.rings).isZero();
  }

  @Test
  void memory_isAlwaysReady() {
    assertThat(memory.ready()).isTrue();
  }

  /**
   * The alarm rings for a watchdog at five seconds, but not later for waits that have ended by
   * then.
   */
  @Nested
  class WaitThatHasEnded {
    @BeforeEach
    void ringEarly() {
      call("early", new Operation.Kick(5 * SECOND), 0);
      call("early", new Operation.AwaitSilence(), Coordination.FOR_EVER);
    }

    private void assertRings(int rings) {
      pass(HOUR / 2);
      assertThat(alarm.rings).isEqualTo(rings);
    }

    @Test
    void byDeletion_leavesNoAlarm() {
      ask(new Operation.AwaitSilence());
      now(new Operation.Delete(Kind.WATCHDOG));
      assertRings(1);
    }

    @Test
    void byDismissal_leavesNoAlarm() {
      ask(new Operation.AwaitSilence());
      memory.dismiss(new Reply.Stopping());
      assertRings(1);
    }

    @Test
    void byItsClient_leavesNoAlarm() {
      ask(new Operation.AwaitSilence()).cancel();
      assertRings(1);
    }

    @Test
    void byAnAnswer_leavesNoDeadline() {
      call(new Operation.AwaitEvent(), 10 * SECOND);
      now(new Operation.Send(""));
      assertRings(1);
    }

    @Test
    void byItsDeadline_leavesNoAlarm() {
      call(new Operation.AwaitSilence(), 10 * SECOND);
      assertRings(2);
    }

    @Test
    void byAnEarlierInstant_leavesNoAlarmForTheLaterOne() {
      ask(new Operation.AwaitSilence());
      now(new Operation.Kick(20 * SECOND));
      assertRings(2);
    }
  }
}
