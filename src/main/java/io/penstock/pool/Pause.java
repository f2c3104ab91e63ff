package io.penstock.pool;

import io.penstock.quota.Gate;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;

/**
 * When a pool is asked again after its provider said that it has had enough. Where the provider
 * does not say for how long, it is a back-off: from 1 s, doubled with each refusal in a row up to
 * 60 s, of which a random half is left out so that not all who were refused come back at once. Safe
 * from any thread.
 */
public final class Pause {
  private static final int MOST_DOUBLINGS = 6;

  private final RandomGenerator random;
  private final Gate gate = new Gate();
  private final LongAdder throttled = new LongAdder();
  private int refusals;
  private int unexplained;

  Pause(RandomGenerator random) {
    this.random = random;
  }

  /** The gate that is shut during a pause. */
  Gate gate() {
    return gate;
  }

  /** Returns the instant at which the pause ends, at most {@code now} when there is none. */
  public long ends(long now) {
    return gate.opens(now);
  }

  /** Returns how many answers were 429. */
  public long throttled() {
    return throttled.sum();
  }

  void countThrottled() {
    throttled.increment();
  }

  /** It was not refused: the next back-off is short again. */
  synchronized void served() {
    refusals = 0;
    unexplained = 0;
  }

  /** Pauses for as long as the provider says. */
  synchronized void stated(long nanos, long now) {
    unexplained = 0;
    gate.shut(now + nanos);
  }

  /**
   * Pauses for as long as the provider says one of its limits takes to be whole, but no longer than
   * a back-off: what is left of it grows meanwhile, and the limit has learned that.
   */
  synchronized void until(long resetNanos, long now) {
    unexplained = 0;
    gate.shut(now + Math.min(resetNanos, next(now)));
  }

  /** Pauses for a back-off, and for no less than {@code leastNanos}. */
  synchronized void backOff(long leastNanos, long now) {
    gate.shut(now + Math.max(leastNanos, next(now)));
  }

  /**
   * Takes note of a refusal that did not say how long it would last, and pauses for a back-off if
   * {@code pauses}. Returns whether it is the second in a row; what was sent before a pause is no
   * second.
   */
  synchronized boolean unexplained(boolean pauses, long now) {
    unexplained += gate.opens(now) > now ? 0 : 1;
    if (pauses) {
      gate.shut(now + next(now));
    }
    return unexplained > 1;
  }

  private long next(long now) {
    if (gate.opens(now) <= now) {
      refusals = Math.min(refusals + 1, MOST_DOUBLINGS + 1);
    }
    long whole = Math.min(Health.MOST_NANOS, Health.LEAST_NANOS << (Math.max(1, refusals) - 1));
    return whole / 2 + random.nextLong(whole / 2 + 1);
  }
}
