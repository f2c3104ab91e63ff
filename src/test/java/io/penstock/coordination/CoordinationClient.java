package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;

/** Client of a coordination service of any implementation. */
abstract class CoordinationClient {
  /** Returns the service under test. */
  protected abstract Coordination coordination();

  /** Advances the time, and runs everything that becomes due. */
  protected abstract void pass(long nanos);

  /** Waits until everything that is due has been done; does nothing where that happens at once. */
  protected void settle() {
    // nothing to wait for
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

  /** Does an operation that does not wait, and takes its answer. */
  Reply now(Operation operation) {
    Turn turn = ask(operation);
    assertThat(turn.take()).as("%s is answered at once", operation).isTrue();
    return Objects.requireNonNull(turn.reply());
  }

  Map<String, Object> statistics(Kind kind) {
    return ((Reply.Told) now(new Operation.Inspect(kind))).statistics();
  }
}
