package io.penstock.coordination;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;

/** Client of a coordination service of any implementation. */
abstract class CoordinationServiceClient {
  /** Returns the service under test. */
  protected abstract CoordinationService coordination();

  /** Advances the time, and runs everything that becomes due. */
  protected abstract void pass(long nanos);

  /** Waits until everything that is due has been done; does nothing where that happens at once. */
  protected void settle() {
    // nothing to wait for
  }

  ClientTurn call(ObjectOperation objectOperation, long maxWaitNanos) {
    return call("it", objectOperation, maxWaitNanos);
  }

  ClientTurn call(String name, ObjectOperation objectOperation, long maxWaitNanos) {
    ClientTurn turn = coordination().call(name, objectOperation, maxWaitNanos);
    settle();
    return turn;
  }

  void cancel(ClientTurn turn) {
    turn.cancel();
    settle();
  }

  ClientTurn ask(ObjectOperation objectOperation) {
    return call(objectOperation, CoordinationService.FOR_EVER);
  }

  /** Does an operation that does not wait, and takes its answer. */
  ObjectReply now(ObjectOperation objectOperation) {
    ClientTurn turn = ask(objectOperation);
    assertThat(turn.take()).as("%s is answered at once", objectOperation).isTrue();
    return Objects.requireNonNull(turn.reply());
  }

  Map<String, Object> statistics(ObjectKind kind) {
    return ((ObjectReply.Statistics) now(new ObjectOperation.Inspect(kind))).statistics();
  }
}
