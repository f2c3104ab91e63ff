package io.penstock.limit;

import io.penstock.time.Ticker;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit that others also spend or count, during an outage in which nothing is heard of
 * them.
 *
 * <p>An amount that passes an open limit is counted, reported and remembered as usual, but leaves
 * no debt: it stops counting with the window it was spent in.
 *
 * @param wrapped the state before the outage, and again after it
 * @param cut what passes during the outage
 */
record CutState(LimitState wrapped, OutageCap cut) implements Around {
  /** Returns a state during an outage. A state that nobody else spends or counts stays as it is. */
  static LimitState of(LimitState shared, OutageCap outageCap) {
    boolean others = shared instanceof SharedState || shared instanceof CountedState;
    return others ? new CutState(shared, outageCap) : shared;
  }

  @Override
  public LimitState withoutOutage() {
    return wrapped;
  }

  @Override
  public LimitState replaceWithoutOutage(LimitState next) {
    return wrap(next);
  }

  @Override
  public LimitState wrap(LimitState next) {
    return next.equals(wrapped) ? this : new CutState(next, cut);
  }

  @Override
  public long fullyFreeAt(long now) {
    return wrapped.fullyFreeAt(now);
  }

  @Override
  public long room(long now) {
    return switch (cut) {
      case OutageCap.Open open -> wrapped.capacity(now);
      case OutageCap.Shut shut -> 0;
    };
  }

  @Override
  public long paceAllowsAt(long amount, long now) {
    return cut instanceof OutageCap.Open ? now : wrapped.paceAllowsAt(amount, now);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    return switch (cut) {
      case OutageCap.Open open -> now;
      case OutageCap.Shut shut -> amount == 0 ? now : Ticker.NEVER;
    };
  }

  @Override
  public long forecastNanos(long ahead, long own, long now) {
    return 0;
  }

  @Override
  public Taken take(long taken, long held, long now) {
    return with(wrapped.take(taken, held, now));
  }

  private Taken with(Taken taken) {
    LimitState next = cut instanceof OutageCap.Open ? taken.next().withoutDebt() : taken.next();
    return new Taken(wrap(next), taken.receipt());
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    return with(wrapped.charge(amount, unheld, now));
  }

  @Override
  public LimitState withSpec(LimitSpec next, long now) {
    return of(StateFactory.changed(wrapped, next, now), cut);
  }

  @Override
  public LimitState unshared(long now) {
    return of(wrapped.unshared(now), cut);
  }

  @Override
  public LimitState uncounted() {
    return of(wrapped.uncounted(), cut);
  }

  @Override
  public @Nullable SliceDemand demand() {
    return wrapped.demand();
  }
}
