package io.penstock.limit;

/** State of a limit that admits everything and remembers nothing. */
record UnlimitedState(LimitSpec.Unlimited spec) implements State {
  private static final Answer.Receipt NOTHING = new Answer.Receipt(0, 0, 0);

  @Override
  public long capacity() {
    return Long.MAX_VALUE;
  }

  @Override
  public long room(long now) {
    return Long.MAX_VALUE;
  }

  @Override
  public long paced(long amount, long now) {
    return now;
  }

  @Override
  public long opens(long amount, long now) {
    return now;
  }

  @Override
  public long forecast(long ahead, long own, long now) {
    return 0;
  }

  @Override
  public Taken take(long taken, long held, long now) {
    return new Taken(this, NOTHING);
  }

  @Override
  public State give(long cell, long taken, long held, long now) {
    return this;
  }

  @Override
  public Taken charge(long amount, long unheld, long now) {
    return new Taken(this, NOTHING);
  }

  @Override
  public Balance balance(long now) {
    return Balance.ZERO;
  }

  @Override
  public State become(LimitSpec next, long now) {
    return State.of(next, Balance.ZERO, now);
  }
}
