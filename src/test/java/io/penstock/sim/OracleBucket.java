package io.penstock.sim;

import io.penstock.limit.LimitSpec;
import java.math.BigInteger;

/**
 * A bucket that is filled continuously, in whole units of the amount that one nanosecond brings
 * where that is a whole number of them: nothing is ever rounded while the rate stays.
 */
final class OracleBucket extends OracleLimit {
  private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000L);

  private LimitSpec.TokenBucket spec;

  /** How many units make one, and how many a nanosecond brings: without a common divisor. */
  private BigInteger one = BigInteger.ONE;

  private BigInteger each = BigInteger.ONE;

  /** What is missing to a full bucket at {@code at}, in units; more than it holds is debt. */
  private BigInteger missing;

  private long at;
  private long fullAt;
  private long held;

  /** What is free from one instant until before another, when nothing is taken or given. */
  private long free;

  private long freeFrom;
  private long freeUntil;

  OracleBucket(LimitSpec.TokenBucket spec, long owed, long now) {
    this.spec = spec;
    this.at = now;
    this.fullAt = now;
    measure();
    this.missing = units(owed);
  }

  private void measure() {
    BigInteger nanos = BigInteger.valueOf(spec.rate().seconds()).multiply(SECOND);
    BigInteger releases = BigInteger.valueOf(spec.rate().releases());
    BigInteger common = nanos.gcd(releases);
    one = nanos.divide(common);
    each = releases.divide(common);
    freeUntil = Long.MIN_VALUE;
  }

  private BigInteger units(long amount) {
    return one.multiply(BigInteger.valueOf(amount));
  }

  @Override
  LimitSpec spec() {
    return spec;
  }

  @Override
  long capacity() {
    return spec.burst();
  }

  private BigInteger missing(long now) {
    BigInteger filled = each.multiply(BigInteger.valueOf(Math.max(0, now - at)));
    return missing.subtract(filled).max(BigInteger.ZERO);
  }

  /** What is missing, a part of one counting as one. */
  private static long ceil(BigInteger units, BigInteger of) {
    return units.add(of).subtract(BigInteger.ONE).divide(of).longValueExact();
  }

  @Override
  long free(long now) {
    if (now < freeFrom || now >= freeUntil) {
      BigInteger left = missing(now);
      long wholes = ceil(left, one);
      free = Math.max(0, spec.burst() - held - wholes);
      freeFrom = now;
      // One more is there once no more than one less is missing.
      freeUntil =
          wholes == 0
              ? Long.MAX_VALUE
              : now + Math.max(1, ceil(left.subtract(units(wholes - 1)), each));
    }
    return free;
  }

  private void pass(long now, long more) {
    change(missing(now), now);
    change(missing.add(units(more)), now);
  }

  private void change(BigInteger next, long now) {
    missing = next.max(BigInteger.ZERO);
    at = now;
    fullAt = missing.signum() == 0 ? now : fullAt;
    freeUntil = Long.MIN_VALUE;
  }

  @Override
  long foretold(long ahead, long now) {
    BigInteger over = missing(now).add(units(ahead + 1 - spec.burst()));
    return over.signum() <= 0 ? now : now + ceil(over, each);
  }

  @Override
  long take(long taken, long held, long now) {
    pass(now, taken);
    this.held += held;
    return fullAt;
  }

  /** Once it was full again what was taken has come back by itself. */
  @Override
  void give(long cell, long taken, long held, long now) {
    pass(now, 0);
    if (cell == fullAt) {
      change(missing.subtract(units(taken)), now);
    }
    this.held -= held;
  }

  @Override
  long charge(long amount, long unheld, long now) {
    pass(now, amount);
    held -= unheld;
    return fullAt;
  }

  /** What is spent stays spent; a part of one that was filled in is kept in whole units. */
  @Override
  void resize(LimitSpec next, long now) {
    pass(now, 0);
    BigInteger wholes = BigInteger.valueOf(ceil(missing, one));
    BigInteger part = wholes.multiply(one).subtract(missing);
    BigInteger before = one;
    spec = (LimitSpec.TokenBucket) next;
    measure();
    missing = wholes.multiply(one).subtract(part.multiply(one).divide(before));
  }

  @Override
  long owed(long now) {
    return ceil(missing(now), one);
  }

  @Override
  long held() {
    return held;
  }

  @Override
  long subCell() {
    return Long.MAX_VALUE;
  }
}
