package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests the refills of a bucket when its interval changes, and for how long a bucket is remembered.
 */
class TokenBucketObjectTest extends MemoryClient {
  private static ObjectOperation token(long intervalNanos) {
    return new ObjectOperation.TakeToken(1, intervalNanos);
  }

  @Test
  void bucketMadeLater_isFilledAnIntervalAfterItWasMade() {
    pass(SECOND / 2);
    now(token(SECOND));
    ClientTurn waits = ask(token(SECOND));
    pass(SECOND - 1);
    assertThat(waits.reply()).isNull();
    pass(1);
    assertThat(waits.reply()).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void intervalThatWasOverBeforeItChanged_hasFilledIt() {
    now(token(SECOND));
    pass(SECOND + SECOND / 2);
    assertThat(call(token(2 * SECOND), 0).reply()).isEqualTo(ObjectReplies.DONE);
    assertThat(call(token(2 * SECOND), 0).reply()).isEqualTo(ObjectReplies.TIMED_OUT);
    pass(SECOND / 2);
    assertThat(call(token(2 * SECOND), 0).reply()).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void shorterInterval_servesThoseEarlierWhoWaitAlready() {
    now(token(10 * SECOND));
    List<ClientTurn> waiting = List.of(ask(token(10 * SECOND)), ask(token(SECOND)));
    pass(SECOND);
    assertThat(waiting).extracting(ClientTurn::reply).containsExactly(ObjectReplies.DONE, null);
  }

  @Test
  void longerInterval_servesThoseLaterWhoWaitAlready() {
    now(token(SECOND));
    List<ClientTurn> waiting = List.of(ask(token(SECOND)), ask(token(10 * SECOND)));
    pass(10 * SECOND - 1);
    assertThat(waiting).extracting(ClientTurn::reply).containsOnlyNulls();
    pass(1);
    assertThat(waiting).extracting(ClientTurn::reply).containsExactly(ObjectReplies.DONE, null);
  }

  @Test
  void bucketThatServedWhoWaited_isRememberedFromThenOn() {
    now(token(HOUR / 2));
    ask(token(HOUR / 2));
    pass(HOUR);
    assertThat(memory.objects()).as("it was used half an hour ago").isEqualTo(1);
    pass(HOUR / 2);
    assertThat(memory.objects()).isZero();
  }
}
