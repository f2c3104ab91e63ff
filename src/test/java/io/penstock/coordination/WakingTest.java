package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Tests which call passes an answer on, and for which instants the alarm is set. */
class WakingTest extends MemoryClient {
  private static final ObjectOperation TOKEN = new ObjectOperation.TakeToken(1, SECOND);

  private final List<ObjectReply> answers = new ArrayList<>();

  /** Calls an operation with a listener for its answer. */
  private ClientTurn listen(ObjectOperation objectOperation, long maxWaitNanos) {
    ClientTurn turn = call(objectOperation, maxWaitNanos);
    assertThat(turn.reply()).isNull();
    turn.whenAnswered(answers::add);
    return turn;
  }

  @Test
  void whoeverEndsTheWait_tells() {
    listen(new ObjectOperation.AwaitEvent(), CoordinationService.FOR_EVER);
    now(new ObjectOperation.Send("hello"));
    assertThat(answers).containsExactly(new ObjectReply.Result("hello"));
  }

  @Test
  void whoGoes_tellsTheNext() {
    ClientTurn departed = ask(TOKEN);
    listen(TOKEN, CoordinationService.FOR_EVER);
    departed.cancel();
    assertThat(answers).containsExactly(ObjectReplies.DONE);
  }

  @Test
  void time_tellsWhoItServes_andWhoHasWaitedLongEnough() {
    now(TOKEN);
    listen(TOKEN, CoordinationService.FOR_EVER);
    ClientTurn waitsOn = listen(TOKEN, 2 * SECOND - 1);
    pass(SECOND);
    assertThat(answers).containsExactly(ObjectReplies.DONE);
    assertThat(memory.waiting()).as("one was served, the other waits on").isEqualTo(1);
    pass(SECOND - 1);
    assertThat(answers).containsExactly(ObjectReplies.DONE, ObjectReplies.TIMED_OUT);
    assertThat(waitsOn.reply()).isEqualTo(ObjectReplies.TIMED_OUT);
  }

  @Test
  void dismissal_tellsAll_andNobodyWaitsAnyMore() {
    listen(new ObjectOperation.AwaitEvent(), SECOND);
    listen(new ObjectOperation.Arrive(2), CoordinationService.FOR_EVER);
    ObjectReply answer = new ObjectReply.Stopping();
    memory.dismiss(answer);
    assertThat(answers).containsExactly(answer, answer);
    assertThat(memory.waiting()).isZero();
    assertThat(ask(new ObjectOperation.Arrive(2)).reply()).as("who was dismissed is gone").isNull();
  }

  @Test
  void instantThatTheAlarmIsSetFor_isSetOnce() {
    ask(new ObjectOperation.AwaitSilence());
    assertThat(alarm.sets).isEqualTo(1);
    ask(new ObjectOperation.AwaitSilence());
    now(new ObjectOperation.Send(""));
    assertThat(alarm.sets).as("nothing is due earlier").isEqualTo(1);
    now(new ObjectOperation.Kick(SECOND));
    assertThat(alarm.sets).as("something is").isEqualTo(2);
  }

  @Test
  void closed_ringsNoMore() {
    ask(new ObjectOperation.AwaitSilence());
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
      call("early", new ObjectOperation.Kick(5 * SECOND), 0);
      call("early", new ObjectOperation.AwaitSilence(), CoordinationService.FOR_EVER);
    }

    private void assertRings(int rings) {
      pass(HOUR / 2);
      assertThat(alarm.rings).isEqualTo(rings);
    }

    @Test
    void byDeletion_leavesNoAlarm() {
      ask(new ObjectOperation.AwaitSilence());
      now(new ObjectOperation.Delete(ObjectKind.WATCHDOG));
      assertRings(1);
    }

    @Test
    void byDismissal_leavesNoAlarm() {
      ask(new ObjectOperation.AwaitSilence());
      memory.dismiss(new ObjectReply.Stopping());
      assertRings(1);
    }

    @Test
    void byItsClient_leavesNoAlarm() {
      ask(new ObjectOperation.AwaitSilence()).cancel();
      assertRings(1);
    }

    @Test
    void byAnAnswer_leavesNoDeadline() {
      call(new ObjectOperation.AwaitEvent(), 10 * SECOND);
      now(new ObjectOperation.Send(""));
      assertRings(1);
    }

    @Test
    void byItsDeadline_leavesNoAlarm() {
      call(new ObjectOperation.AwaitSilence(), 10 * SECOND);
      assertRings(2);
    }

    @Test
    void byAnEarlierInstant_leavesNoAlarmForTheLaterOne() {
      ask(new ObjectOperation.AwaitSilence());
      now(new ObjectOperation.Kick(20 * SECOND));
      assertRings(2);
    }
  }
}
