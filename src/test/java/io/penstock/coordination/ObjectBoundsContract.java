package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/**
 * Contract of the bounds on objects, their memory and waiting clients, and of each tenant's share.
 */
public abstract class ObjectBoundsContract {
  private static final String HOSTILE = "hostile";
  private static final String OTHER = "other";
  private static final long MINUTE = 60_000_000_000L;
  private static final String LONG = "x".repeat(8_192);

  /** The bounds under test: a tenant may have half of everything. */
  protected static final ObjectBounds BOUNDS =
      new ObjectBounds(20, 40, 200_000, 0.5, 1_000, 60 * MINUTE);

  /** Returns the service under test. */
  protected abstract CoordinationService coordination();

  /** Waits until everything that is due has been done. */
  protected abstract void settle();

  private ClientTurn call(
      String tenant, String name, ObjectOperation operation, long maxWaitNanos) {
    ClientTurn turn = coordination().call(tenant, name, operation, maxWaitNanos);
    settle();
    return turn;
  }

  private ObjectReply now(String tenant, String name, ObjectOperation operation) {
    ClientTurn turn = call(tenant, name, operation, 0);
    assertThat(turn.take()).isTrue();
    return turn.reply();
  }

  private ObjectReply count(String tenant, String name) {
    return now(tenant, name, new ObjectOperation.Count(1));
  }

  /** Repeats an operation until it is refused; returns how often it was done. */
  private int until(ObjectReply refusal, IntFunction<ObjectReply> operation) {
    for (int i = 0; i < 10_000; i++) {
      ObjectReply reply = operation.apply(i);
      if (reply instanceof ObjectReply.Full) {
        assertThat(reply).isEqualTo(refusal);
        return i;
      }
    }
    throw new AssertionError("it is never refused");
  }

  private static ObjectOperation place(String key) {
    return new ObjectOperation.Acquire(10_000, key, 60 * MINUTE);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenantHasItsShareOfObjects_andNotOneMore() {
    ObjectReply own = ObjectReplies.tooManyOwnObjects(BOUNDS);
    assertThat(until(own, i -> count(HOSTILE, "h" + i))).isEqualTo(20);
    assertThat(count(HOSTILE, "h0")).as("what is there").isEqualTo(new ObjectReply.Result("2"));
    assertThat(until(own, i -> count(OTHER, "o" + i))).isEqualTo(20);
    assertThat(count("third", "t")).isEqualTo(ObjectReplies.tooManyObjects(BOUNDS));
    assertThat(now(OTHER, "h0", new ObjectOperation.Delete(ObjectKind.COUNTER)))
        .isEqualTo(ObjectReplies.DONE);
    assertThat(count(HOSTILE, "h0")).as("its place is free").isEqualTo(new ObjectReply.Result("1"));
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenantHasItsShareOfMemory_andNotMore() {
    int sent =
        until(
            ObjectReplies.tooManyOwnBytes(BOUNDS),
            i -> now(HOSTILE, "h" + i, new ObjectOperation.Send(LONG)));
    assertThat(sent).isBetween(8, 12);
    assertThat(count(HOSTILE, "small")).as("there is room for less").isNotNull();
    for (int i = 0; i < sent; i++) {
      assertThat(now(OTHER, "o" + i, new ObjectOperation.Send(LONG))).isEqualTo(ObjectReplies.DONE);
    }
    until(
        ObjectReplies.tooManyBytes(BOUNDS),
        i -> now("third", "t" + i, new ObjectOperation.Send(LONG)));
    assertThat(now(HOSTILE, "h0", new ObjectOperation.AwaitEvent()))
        .isEqualTo(new ObjectReply.Result(LONG));
    assertThat(now(HOSTILE, "h0", new ObjectOperation.Delete(ObjectKind.EVENT)))
        .isEqualTo(ObjectReplies.DONE);
    assertThat(now(HOSTILE, "h0", new ObjectOperation.Send(LONG))).isEqualTo(ObjectReplies.DONE);
  }

  @Test
  void eventThatIsThere_growsByItsMessage() {
    int made =
        until(
            ObjectReplies.tooManyOwnBytes(BOUNDS),
            i -> {
              call(HOSTILE, "e" + i, new ObjectOperation.AwaitEvent(), 0);
              return now(HOSTILE, "e" + i, new ObjectOperation.Send(LONG));
            });
    assertThat(made).isBetween(8, 12);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void tenantHasItsShareOfWaiters_andNotOneMore() {
    List<ClientTurn> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(
          call(HOSTILE, "e", new ObjectOperation.AwaitEvent(), CoordinationService.FOR_EVER));
    }
    assertThat(waiting).allSatisfy(turn -> assertThat(turn.reply()).isNull());
    assertThat(call(HOSTILE, "e", new ObjectOperation.AwaitEvent(), MINUTE).reply())
        .isEqualTo(ObjectReplies.tooManyOwnWait(BOUNDS));
    for (int i = 0; i < 10; i++) {
      ClientTurn turn =
          call(OTHER, "e", new ObjectOperation.AwaitEvent(), CoordinationService.FOR_EVER);
      assertThat(turn.reply()).isNull();
    }
    assertThat(call("third", "e", new ObjectOperation.AwaitEvent(), MINUTE).reply())
        .isEqualTo(ObjectReplies.tooManyWait(BOUNDS));
    assertThat(now(OTHER, "e", new ObjectOperation.Send("m"))).isEqualTo(ObjectReplies.DONE);
    assertThat(waiting)
        .allSatisfy(turn -> assertThat(turn.reply()).isEqualTo(new ObjectReply.Result("m")));
    assertThat(
            call(HOSTILE, "f", new ObjectOperation.AwaitEvent(), CoordinationService.FOR_EVER)
                .reply())
        .as("their places are free")
        .isNull();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void whoMakesAnObjectGrow_paysForIt() {
    assertThat(now(OTHER, "s", place("o"))).isEqualTo(new ObjectReply.Result("o"));
    int held = until(ObjectReplies.tooManyOwnBytes(BOUNDS), i -> now(HOSTILE, "s", place("h" + i)));
    assertThat(held).isBetween(200, 400);
    assertThat(now(HOSTILE, "s", place("h0")))
        .as("what is held is given again")
        .isEqualTo(new ObjectReply.Result("h0"));
    for (int i = 0; i < 20; i++) {
      assertThat(count(OTHER, "o" + i)).isEqualTo(new ObjectReply.Result("1"));
    }
    assertThat(now(HOSTILE, "s", new ObjectOperation.Release("h1"))).isEqualTo(ObjectReplies.DONE);
    assertThat(now(HOSTILE, "s", place("again"))).isEqualTo(new ObjectReply.Result("again"));
  }

  @Test
  void waitThatWouldNotBeGranted_needsNoRoom() {
    assertThat(now(HOSTILE, "s", new ObjectOperation.Acquire(1, "k", 0)))
        .isEqualTo(new ObjectReply.Result("k"));
    until(
        ObjectReplies.tooManyOwnBytes(BOUNDS),
        i -> now(HOSTILE, "h" + i, new ObjectOperation.Send("x".repeat(i < 11 ? 8_192 : 100))));
    assertThat(now(HOSTILE, "s", new ObjectOperation.Acquire(1, "l", 0)))
        .isEqualTo(ObjectReplies.TIMED_OUT);
  }

  @Test
  void refusals_doNotUseUpAnything() {
    for (int i = 0; i < 200; i++) {
      now(HOSTILE, "h" + i, new ObjectOperation.Send(LONG));
    }
    for (int i = 0; i < 20; i++) {
      now(HOSTILE, "h" + i, new ObjectOperation.Delete(ObjectKind.EVENT));
    }
    assertThat(
            until(
                ObjectReplies.tooManyOwnBytes(BOUNDS),
                i -> now(HOSTILE, "again" + i, new ObjectOperation.Send(LONG))))
        .isBetween(8, 12);
  }
}
