package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;

/** Asks a coordination, whatever keeps its objects. */
abstract class CoordinationClient {
  /** Returns the one under test. */
  protected abstract Coordination coordination();

  /** Lets so much time pass, and all happen that happens meanwhile. */
  protected abstract void pass(long nanos);

  /** Waits until all has happened that was to happen already; nothing where that is at once. */
  protected void settle() {
    // it is at once
  }

  Turn call(Operation operation, long maxWaitNanos) {
    return call("it", operation, maxWaitNanos);
  }

  Turn call(String name, Operation operation, long maxWaitNanos) {
    Turn turn = coordination().call(name, operation, maxWaitNanos);
    settle();
    return turn;
  }

  void cancel(Turn turn) {
    turn.cancel();
    settle();
  }

  Turn ask(Operation operation) {
    return call(operation, Coordination.FOR_EVER);
  }

  /** Does what needs no wait, as a client that takes its answer. */
  Reply now(Operation operation) {
    Turn turn = ask(operation);
    assertThat(turn.take()).as("%s is answered at once", operation).isTrue();
    return Objects.requireNonNull(turn.reply());
  }

  Map<String, Object> statistics(Kind kind) {
    return ((Reply.Told) now(new Operation.Inspect(kind))).statistics();
  }
}
