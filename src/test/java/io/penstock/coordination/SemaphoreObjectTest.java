package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that permits expire whichever call comes next, and that no permit is held twice. */
class SemaphoreObjectTest extends MemoryClient {
  private static ObjectOperation place(long size, String key) {
    return new ObjectOperation.Acquire(size, key, SECOND);
  }

  private static ObjectReply grantOf(String key) {
    return new ObjectReply.Result(key);
  }

  @Test
  void placeThatHasExpired_cannotBeReleased() {
    now(place(1, "a"));
    pass(SECOND - 1);
    assertThat(memory.call("it", new ObjectOperation.Release("b"), 0).reply())
        .isEqualTo(ObjectReplies.NOT_HELD);
    pass(1);
    assertThat(now(new ObjectOperation.Release("a"))).isEqualTo(ObjectReplies.NOT_HELD);
    assertThat(statistics(ObjectKind.SEMAPHORE)).containsEntry("released", 0L);
  }

  @Test
  void keyThatHasExpired_isHeldAnew() {
    now(place(1, "a"));
    pass(SECOND);
    assertThat(now(place(1, "a"))).isEqualTo(grantOf("a"));
    pass(SECOND - 1);
    assertThat(call(place(1, "b"), 0).reply()).isEqualTo(ObjectReplies.TIMED_OUT);
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .containsEntry("acquired", 2L)
        .containsEntry("reacquired", 0L);
  }

  @Test
  void expiredPlaces_areCounted_thoughNobodyCame() {
    now(place(9, "a"));
    now(place(9, "a"));
    now(place(9, "b"));
    now(place(9, "c"));
    pass(SECOND - 1);
    assertThat(statistics(ObjectKind.SEMAPHORE)).containsEntry("expired", 0L);
    pass(1);
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .as("all of one instant")
        .containsEntry("expired", 3L);
  }

  @Test
  void placeThatExpiredBeforeItsClientWent_hasExpired() {
    ClientTurn departed = ask(place(1, "a"));
    pass(SECOND);
    cancel(departed);
    assertThat(statistics(ObjectKind.SEMAPHORE)).containsEntry("expired", 1L);
  }

  @Test
  void placeThatNobodyTook_wasNotAcquired_norWaitedFor() {
    pass(SECOND);
    now(place(1, "a"));
    ClientTurn departed = ask(place(1, "b"));
    pass(SECOND);
    assertThat(departed.reply()).isEqualTo(grantOf("b"));
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .containsEntry("acquired", 2L)
        .containsEntry("total_wait_time", 1_000L)
        .containsEntry("average_wait_time", 500.0);
    cancel(departed);
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .containsEntry("acquired", 1L)
        .containsEntry("total_wait_time", 0L)
        .containsEntry("average_wait_time", 0.0);
  }

  @Test
  void twoWhoWaitForOneKey_holdOnePlace() {
    now(place(1, "a"));
    List<ClientTurn> same = List.of(ask(place(1, "b")), ask(place(1, "b")));
    ClientTurn other = ask(place(1, "c"));
    now(new ObjectOperation.Release("a"));
    assertThat(same).extracting(ClientTurn::reply).containsExactly(grantOf("b"), grantOf("b"));
    assertThat(other.reply()).isNull();
    assertThat(statistics(ObjectKind.SEMAPHORE))
        .containsEntry("acquired", 2L)
        .containsEntry("reacquired", 1L);
    now(new ObjectOperation.Release("b"));
    assertThat(other.reply()).isEqualTo(grantOf("c"));
  }

  @Test
  void whoHasAnAnswerAlready_getsNoPlace() {
    ObjectOperation.Acquire acquire = new ObjectOperation.Acquire(1, "a", 0);
    SemaphoreObject semaphore = new SemaphoreObject(acquire, new BoundedCount(1), 0);
    ClientTurn answered = new ClientTurn(acquire, 0, _ -> {});
    answered.answer(ObjectReplies.TIMED_OUT);
    semaphore.join(answered);
    assertThat(semaphore.serveAll(0)).containsExactly(answered);
    assertThat(answered.reply()).isEqualTo(ObjectReplies.TIMED_OUT);
    assertThat(semaphore.blank(0)).as("its place was taken back").isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, SECOND})
  void placeOfADeletedSemaphore_isFreedOnce_whenItsClientGoes(long nanosLater) {
    ClientTurn departed = ask(place(9, "k0"));
    for (int key = 1; key < 5; key++) {
      now(new ObjectOperation.Acquire(9, "k" + key, 0));
    }
    now(new ObjectOperation.Delete(ObjectKind.SEMAPHORE));
    pass(nanosLater);
    cancel(departed);
    for (int key = 0; key < 5; key++) {
      assertThat(now(place(9, "k" + key))).isEqualTo(grantOf("k" + key));
    }
    assertThat(now(place(9, "k5")))
        .isEqualTo(new ObjectReply.Full("5 places of semaphores are held already"));
  }
}
