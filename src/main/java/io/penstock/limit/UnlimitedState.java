package io.penstock.limit;

/** State of a limit that admits everything and remembers nothing. */
record UnlimitedState(LimitSpec.Unlimited spec) implements LocalState {
  private static final LimitAnswer.Receipt NOTHING = new LimitAnswer.Receipt(0, 0, 0);

  @Override
  public long room(long now) {
    return Long.MAX_VALUE;
  }

  @Override
  public long roomFreeAt(long amount, long now) {
    return now;
  }

  @Override
  public Taken take(long taken, long reserved, long now) {
    return new Taken(this, NOTHING);
  }

  @Override
  public LocalState giveBack(long cell, long taken, long reserved, long now) {
    return this;
  }

  @Override
  public Taken charge(long amount, long released, long now) {
    return new Taken(this, NOTHING);
  }

  @Override
  public LimitBalance balance(long now) {
    return LimitBalance.ZERO;
  }
}
