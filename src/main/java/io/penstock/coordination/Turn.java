package io.penstock.coordination;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One operation of one client, from its arrival until the client has its answer. That there is an
 * answer is no proof that anybody received it: whoever writes it {@linkplain #take takes} it
 * before, and what is not taken when the client goes away is given back. Safe from any thread.
 */
public final class Turn {
  private enum State {
    WAITING,
    ANSWERED,
    TAKEN,
    CANCELLED
  }

  private final Operation operation;
  private final long arrivedNanos;
  private final Consumer<Turn> departure;
  private State state = State.WAITING;
  private @Nullable Reply reply;
  private @Nullable Consumer<Reply> listener;

  // what follows belongs to the owner of the object

  /** Where it waits or was served; null when that is nowhere. */
  @Nullable Named object;

  /** What it was given there and can be given back, or null. */
  @Nullable Object given;

  /** When it is too late for it, while it waits. */
  Agenda.@Nullable Entry deadline;

  /** Whether it counts among those who wait. */
  boolean parked;

  /** How long it waited until it was served. */
  long waitedNanos;

  /**
   * Begins a turn.
   *
   * @param departure is told when its client goes away before it took the answer
   */
  public Turn(Operation operation, long arrivedNanos, Consumer<Turn> departure) {
    this.operation = operation;
    this.arrivedNanos = arrivedNanos;
    this.departure = departure;
  }

  /** Returns what is to be done. */
  public Operation operation() {
    return operation;
  }

  /** Returns when it came. */
  long arrivedNanos() {
    return arrivedNanos;
  }

  /** Answers, which {@link #tell} passes on; false when the client is gone or has an answer. */
  public synchronized boolean answer(Reply answer) {
    if (state != State.WAITING) {
      return false;
    }
    state = State.ANSWERED;
    reply = answer;
    return true;
  }

  /** Tells whoever waits for the answer, if there are both. Not while holding a lock. */
  public void tell() {
    Consumer<Reply> told;
    Reply answer;
    synchronized (this) {
      told = listener;
      answer = reply;
      if (told == null || answer == null) {
        return;
      }
      listener = null;
    }
    told.accept(answer);
  }

  /** Has {@code told} be told the answer once, now or later, by whoever answers. */
  public void whenAnswered(Consumer<Reply> told) {
    synchronized (this) {
      listener = told;
    }
    tell();
  }

  /** Returns the answer, or null while it waits. */
  public synchronized @Nullable Reply reply() {
    return reply;
  }

  /** Takes the answer; false when the client went away first, and everything was given back. */
  public synchronized boolean take() {
    if (state != State.ANSWERED) {
      return false;
    }
    state = State.TAKEN;
    return true;
  }

  /** Gives up the place, or what was given for it, unless the answer was taken. */
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

  /** Returns whether the client went away. */
  public synchronized boolean cancelled() {
    return state == State.CANCELLED;
  }
}
