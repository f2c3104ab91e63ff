package io.penstock.limit;

import io.penstock.time.Ticker;

/**
 * State of a concurrency limit: permits count until they are given back, however long that takes.
 *
 * @param inUse the permits in use, for taken and reserved amounts alike; above the maximum when
 *     that was lowered
 */
record ConcurrencyState(LimitSpec.Concurrency spec, long inUse) implements LocalState {
  @Override
  public long room(long now) {
    return Math.max(0, spec.max() - inUse);
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    return amount <= room(now) ? now : Ticker.NEVER;
  }

  @Override
  public Taken take(long taken, long reserved, long now) {
    return new Taken(less(-taken - reserved), new LimitAnswer.Receipt(0, taken, reserved));
  }

  private ConcurrencyState less(long amount) {
    return new ConcurrencyState(spec, Math.max(0, inUse - amount));
  }

  @Override
  public LocalState giveBack(long cell, long taken, long reserved, long now) {
    return less(AmountBound.sum(taken, reserved));
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return new Taken(less(released), new LimitAnswer.Receipt(0, 0, 0));
  }

  @Override
  public LimitBalance balance(long now) {
    return new LimitBalance(0, 0, inUse);
  }
}
