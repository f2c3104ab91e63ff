package io.penstock.coordination;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Operation of one client, from its arrival until the client has its answer. An answer may exist
 * without having been received: the code that writes it to the client {@linkplain #take takes} it
 * first, and when the client goes away before that, the grant is returned. Safe from any thread.
 */
public final class ClientTurn {
  private enum State {
    WAITING,
    ANSWERED,
    TAKEN,
    CANCELLED
  }

  private final ObjectOperation objectOperation;
  private final long arrivedNanos;
  private final Consumer<ClientTurn> departure;
  private State state = State.WAITING;
  private @Nullable ObjectReply objectReply;
  private @Nullable Consumer<ObjectReply> listener;

  // The following fields belong to the owner of the object.

  /** The object at which it waits or was served, or null. */
  @Nullable CoordinationObject object;

  /** The tenant that it belongs to. */
  String tenant = "";

  /** The grant that can be returned, or null. */
  @Nullable Object given;

  /** The entry for the end of its wait, or null. */
  TimedTasks.@Nullable Entry deadline;

  /** Whether it counts as waiting. */
  boolean parked;

  /** Time it waited until it was served. */
  long waitedNanos;

  /**
   * Creates a turn.
   *
   * @param departure receives the turn when its client goes away before the answer was taken
   */
  public ClientTurn(
      ObjectOperation objectOperation, long arrivedNanos, Consumer<ClientTurn> departure) {
    this.objectOperation = objectOperation;
    this.arrivedNanos = arrivedNanos;
    this.departure = departure;
  }

  /** Returns the operation. */
  public ObjectOperation operation() {
    return objectOperation;
  }

  /** Returns the instant of its arrival. */
  long arrivedNanos() {
    return arrivedNanos;
  }

  /**
   * Sets the answer, which {@link #deliverAnswer} passes on; returns false when the client is gone
   * or already has an answer.
   */
  public synchronized boolean answer(ObjectReply answer) {
    if (state != State.WAITING) {
      return false;
    }
    state = State.ANSWERED;
    objectReply = answer;
    return true;
  }

  /** Passes the answer to the listener, if there are both. Must not be called under a lock. */
  public void deliverAnswer() {
    Consumer<ObjectReply> receiver;
    ObjectReply answer;
    synchronized (this) {
      receiver = listener;
      answer = objectReply;
      if (receiver == null || answer == null) {
        return;
      }
      listener = null;
    }
    receiver.accept(answer);
  }

  /**
   * Sets the listener, which receives the answer once: now, or later on the thread that answers.
   */
  public void whenAnswered(Consumer<ObjectReply> receiver) {
    synchronized (this) {
      listener = receiver;
    }
    deliverAnswer();
  }

  /** Returns the answer, or null while the turn waits. */
  public synchronized @Nullable ObjectReply reply() {
    return objectReply;
  }

  /**
   * Takes the answer; returns false when the client went away first, so that the grant was
   * returned.
   */
  public synchronized boolean take() {
    if (state != State.ANSWERED) {
      return false;
    }
    state = State.TAKEN;
    return true;
  }

  /** Gives up the wait or the grant, unless the answer was taken. */
  public void cancel() {
    synchronized (this) {
      if (state == State.TAKEN || state == State.CANCELLED) {
        return;
      }
      state = State.CANCELLED;
      listener = null;
    }
    departure.accept(this);
  }

  /** Returns whether the turn was cancelled. */
  public synchronized boolean cancelled() {
    return state == State.CANCELLED;
  }
}
