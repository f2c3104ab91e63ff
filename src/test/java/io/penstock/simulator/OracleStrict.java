package io.penstock.simulator;

import io.penstock.limit.LimitSpec;
import java.math.BigInteger;

/**
 * Slots exactly 1/rate apart, in whole fractions of a second of any length; a release may come a
 * little before its slot, which does not move.
 */
final class OracleStrict extends OracleLimit {
  private static final long LATE = 5_000_000L;

  private LimitSpec.Strict spec;

  /** Start of the grid: slot k is k intervals later; none before the first release. */
  private long grid = Long.MIN_VALUE;

  private long next;

  /** The instant of the next slot. */
  private long nextAt = Long.MIN_VALUE;

  OracleStrict(LimitSpec.Strict spec) {
    this.spec = spec;
  }

  @Override
  LimitSpec spec() {
    return spec;
  }

  @Override
  long capacity() {
    return 1;
  }

  private long slot(long k) {
    BigInteger nanos =
        BigInteger.valueOf(k)
            .multiply(BigInteger.valueOf(1_000_000_000L))
            .multiply(BigInteger.valueOf(spec.rate().seconds()));
    BigInteger[] parts = nanos.divideAndRemainder(BigInteger.valueOf(spec.rate().releases()));
    return grid + parts[0].longValueExact() + (parts[1].signum() > 0 ? 1 : 0);
  }

  private boolean fresh() {
    return grid == Long.MIN_VALUE;
  }

  @Override
  long free(long now) {
    return now >= nextAt - (fresh() ? 0 : spec.earlyNanos()) ? 1 : 0;
  }

  @Override
  long foretold(long ahead, long now) {
    return fresh() ? Long.MIN_VALUE : Math.max(now, slot(next + ahead) - spec.earlyNanos());
  }

  @Override
  long take(long amount, long reserved, long now) {
    if (fresh() || now - nextAt > Math.max(slot(1) - grid, LATE)) {
      grid = now;
      next = 0;
    }
    long taken = slot(next);
    next++;
    nextAt = slot(next);
    return taken;
  }

  @Override
  void give(long cell, long taken, long reserved, long now) {
    if (!fresh() && taken == 1 && slot(next - 1) == cell) {
      next--;
      nextAt = slot(next);
    }
  }

  @Override
  long charge(long amount, long released, long now) {
    return 0;
  }

  @Override
  void resize(LimitSpec change, long now) {
    if (!fresh()) {
      long last = slot(next - 1);
      grid = last;
      next = 1;
    }
    spec = (LimitSpec.Strict) change;
    nextAt = fresh() ? Long.MIN_VALUE : slot(next);
  }

  @Override
  long held() {
    return 0;
  }

  @Override
  long subCell() {
    return Long.MAX_VALUE;
  }
}
