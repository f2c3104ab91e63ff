package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A limit that others spend or count too, while nothing is heard of them.
 *
 * <p>What passes an open one is counted, reported and remembered as ever, but nobody owes anything
 * for it: it ends with the window it was spent in.
 *
 * @param shared what it was before, and is again after
 * @param cut what passes meanwhile
 */
record CutState(State shared, Cut cut) implements State {
  /** A state when it is cut off; one that nobody else spends or counts is cut off from nobody. */
  static State of(State shared, Cut cut) {
    boolean others = shared instanceof SharedState || shared instanceof CountedState;
    return others ? new CutState(shared, cut) : shared;
  }

  @Override
  public State joined() {
    return shared;
  }

  @Override
  public State rejoined(State next) {
    return next.equals(shared) ? this : new CutState(next, cut);
  }

  @Override
  public LimitSpec spec() {
    return shared.spec();
  }

  @Override
  public long capacity() {
    return shared.capacity();
  }

  @Override
  public long capacity(long now) {
    return shared.capacity(now);
  }

  @Override
  public long restores(long now) {
    return shared.restores(now);
  }

  @Override
  public State told(Notice notice, long now) {
    return rejoined(shared.told(notice, now));
  }

  @Override
  public State widened(long nanos) {
    return rejoined(shared.widened(nanos));
  }

  @Override
  public @Nullable Learned learned(long now) {
    return shared.learned(now);
  }

  @Override
  public long room(long now) {
    return switch (cut) {
      case Cut.Open open -> shared.capacity(now);
      case Cut.Shut shut -> 0;
    };
  }

  @Override
  public long paced(long amount, long now) {
    return cut instanceof Cut.Open ? now : shared.paced(amount, now);
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
    return with(shared.take(taken, held, now));
  }

  private Taken with(Taken taken) {
    State next = cut instanceof Cut.Open ? taken.next().forgiven() : taken.next();
    return new Taken(rejoined(next), taken.receipt());
  }

  @Override
  public State give(long cell, long taken, long held, long now) {
    return rejoined(shared.give(cell, taken, held, now));
  }

  @Override
  public State give(Answer.Receipt receipt, long taken, long held, long now) {
    return rejoined(shared.give(receipt, taken, held, now));
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    return with(shared.charge(amount, unheld, now));
  }

  @Override
  public Balance balance(long now) {
    return shared.balance(now);
  }

  @Override
  public List<Cell> cells(long now) {
    return shared.cells(now);
  }

  @Override
  public State become(LimitSpec next, long now) {
    return of(shared.become(next, now), cut);
  }

  @Override
  public State unshared(long now) {
    return of(shared.unshared(now), cut);
  }

  @Override
  public State uncounted() {
    return of(shared.uncounted(), cut);
  }

  @Override
  public @Nullable Demand demand() {
    return shared.demand();
  }
}
