package io.penstock.limit;

import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit that others also spend or count, during an outage in which nothing is heard of
 * them.
 *
 * <p>What passes an open limit is counted, reported and remembered as usual, but leaves no debt: it
 * stops counting with the window it was spent in.
 *
 * @param own the state before the outage, and again after it
 * @param cut what passes during the outage
 */
record CutState(State own, Cut cut) implements Around {
  /** Returns a state during an outage. A state that nobody else spends or counts stays as it is. */
  static State of(State shared, Cut cut) {
    boolean others = shared instanceof SharedState || shared instanceof CountedState;
    return others ? new CutState(shared, cut) : shared;
  }

  @Override
  public State joined() {
    return own;
  }

  @Override
  public State rejoined(State next) {
    return around(next);
  }

  @Override
  public State around(State next) {
    return next.equals(own) ? this : new CutState(next, cut);
  }

  @Override
  public long full(long now) {
    return own.full(now);
  }

  @Override
  public long room(long now) {
    return switch (cut) {
      case Cut.Open open -> own.capacity(now);
      case Cut.Shut shut -> 0;
    };
  }

  @Override
  public long paced(long amount, long now) {
    return cut instanceof Cut.Open ? now : own.paced(amount, now);
  }

  @Override
  public long opens(long amount, long now) {
    return switch (cut) {
      case Cut.Open open -> now;
      case Cut.Shut shut -> amount == 0 ? now : Ticker.NEVER;
    };
  }

  @Override
  public long forecast(long ahead, long own, long now) {
    return 0;
  }

  @Override
  public Taken take(long taken, long held, long now) {
    return with(own.take(taken, held, now));
  }

  private Taken with(Taken taken) {
    State next = cut instanceof Cut.Open ? taken.next().forgiven() : taken.next();
    return new Taken(around(next), taken.receipt());
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    return with(own.charge(amount, unheld, now));
  }

  @Override
  public State become(LimitSpec next, long now) {
    return of(own.become(next, now), cut);
  }

  @Override
  public State unshared(long now) {
    return of(own.unshared(now), cut);
  }

  @Override
  public State uncounted() {
    return of(own.uncounted(), cut);
  }

  @Override
  public @Nullable Demand demand() {
    return own.demand();
  }
}
