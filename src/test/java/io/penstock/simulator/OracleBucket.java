package io.penstock.simulator;

import io.penstock.limit.LimitSpec;
import java.math.BigInteger;

/**
 * A continuously filled bucket. It counts in whole units of the amount that one nanosecond brings,
 * or of a fraction of it: nothing is ever rounded as long as the rate stays.
 */
final class OracleBucket extends OracleLimit {
  private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000L);

  private LimitSpec.TokenBucket spec;

  /**
   * Units in one token or request, and units that a nanosecond brings: without a common divisor.
   */
  private BigInteger one = BigInteger.ONE;

  private BigInteger each = BigInteger.ONE;

  /** Units missing to a full bucket at {@code at}; more than its capacity is debt. */
  private BigInteger missing;

  private long at;
  private long reserved;

  /** The least that was missing since each take, in whole tokens or requests. */
  private final OracleLows lows;

  /**
   * Free amount from one instant until before another, as long as nothing is taken or given back.
   */
  private long free;

  private long freeFrom;
  private long freeUntil;

  OracleBucket(LimitSpec.TokenBucket spec, long owed, long now) {
    this.spec = spec;
    this.at = now;
    measure();
    this.missing = units(owed);
    this.lows = new OracleLows(now, owed);
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

  /** Returns a number of units in whole tokens or requests, rounded up. */
  private static long ceil(BigInteger units, BigInteger of) {
    return units.add(of).subtract(BigInteger.ONE).divide(of).longValueExact();
  }

  @Override
  long free(long now) {
    if (now < freeFrom || now >= freeUntil) {
      BigInteger left = missing(now);
      long wholes = ceil(left, one);
      free = Math.max(0, spec.burst() - reserved - wholes);
      freeFrom = now;
      // One more is free as soon as at most one less is missing.
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
    lows.taken(now, ceil(missing, one));
  }

  private void change(BigInteger next, long now) {
    missing = next.max(BigInteger.ZERO);
    at = now;
    freeUntil = Long.MIN_VALUE;
    lows.atMost(ceil(missing, one));
  }

  @Override
  long foretold(long ahead, long now) {
    BigInteger over = missing(now).add(units(ahead + 1 - spec.burst()));
    return over.signum() <= 0 ? now : now + ceil(over, each);
  }

  @Override
  long take(long taken, long reserved, long now) {
    pass(now, taken);
    this.reserved += reserved;
    return now;
  }

  /** At most as much comes back as was missing at all times since it was taken. */
  @Override
  void give(long cell, long taken, long reserved, long now) {
    pass(now, 0);
    change(missing.subtract(units(lows.give(cell, taken))), now);
    this.reserved -= reserved;
  }

  @Override
  long charge(long amount, long released, long now) {
    pass(now, amount);
    reserved -= released;
    return now;
  }

  /**
   * Charges stay; the part of a token or request that was already filled in is kept, in whole
   * units.
   */
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
    return reserved;
  }

  @Override
  long subCell() {
    return Long.MAX_VALUE;
  }
}
