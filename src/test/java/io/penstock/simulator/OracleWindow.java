package io.penstock.simulator;

import io.penstock.limit.LimitSpec;

/** Windows of one length that follow each other without a gap, modelled window by window. */
final class OracleWindow extends OracleLimit {
  private LimitSpec.FixedWindow spec;
  private long start;
  private long charged;
  private long debt;
  private long reserved;

  OracleWindow(LimitSpec.FixedWindow spec, long now) {
    this.spec = spec;
    this.start = now;
  }

  @Override
  LimitSpec spec() {
    return spec;
  }

  @Override
  long capacity() {
    return spec.capacity();
  }

  /** Lets windows pass one by one: each pays as much of the debt as it can. */
  private void pass(long now) {
    while (start + spec.windowNanos() <= now) {
      start += spec.windowNanos();
      charged = Math.min(debt, spec.capacity());
      debt -= charged;
      if (debt == 0 && charged == 0) {
        start += (now - start) / spec.windowNanos() * spec.windowNanos();
      }
    }
  }

  @Override
  long free(long now) {
    long at = start + spec.windowNanos();
    long paid = charged;
    long owed = debt;
    while (at <= now && (paid > 0 || owed > 0)) {
      paid = Math.min(owed, spec.capacity());
      owed -= paid;
      at += spec.windowNanos();
    }
    return Math.max(0, spec.capacity() - paid - reserved);
  }

  @Override
  long take(long taken, long reserved, long now) {
    pass(now);
    if (charged == 0 && debt == 0 && this.reserved == 0) {
      start = now;
    }
    charged += taken;
    this.reserved += reserved;
    if (taken + reserved > 0 && charged + this.reserved > spec.capacity()) {
      throw new InvariantViolation(
          "a window released %d with %d held of %s".formatted(charged, this.reserved, spec));
    }
    return start;
  }

  @Override
  void give(long cell, long taken, long reserved, long now) {
    pass(now);
    this.reserved -= reserved;
    if (cell == start) {
      long sum = charged + debt - taken;
      if (sum < 0) {
        throw new InvariantViolation(
            "more was given back than the window since " + cell + " was charged");
      }
      spread(sum);
    }
  }

  private void spread(long sum) {
    charged = Math.min(sum, spec.capacity());
    debt = sum - charged;
  }

  @Override
  long charge(long amount, long released, long now) {
    pass(now);
    reserved -= released;
    spread(charged + debt + amount);
    return start;
  }

  @Override
  void resize(LimitSpec next, long now) {
    pass(now);
    LimitSpec.FixedWindow window = (LimitSpec.FixedWindow) next;
    if (window.windowNanos() != spec.windowNanos()) {
      start = now;
    }
    spec = window;
    spread(charged + debt);
  }

  @Override
  long held() {
    return reserved;
  }

  @Override
  long subCell() {
    return (spec.windowNanos() + 59) / 60;
  }
}
