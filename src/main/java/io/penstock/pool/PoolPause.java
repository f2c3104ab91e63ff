package io.penstock.pool;

import io.penstock.quota.QuotaGate;
import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.LongAdder;
import java.util.random.RandomGenerator;

/**
 * Pause of a pool after its provider refused requests because of limits. Where the provider states
 * no time, or none that is to come, the pause is a back-off: from 1 s, doubled with each
 * consecutive refusal up to 60 s. A random part, at most half, is subtracted so that not all
 * refused requests return at once.
 *
 * <p>A stated end is kept, however far it is. Until then one request tries every 5 minutes whether
 * the provider serves it nevertheless, which ends the pause. Safe from any thread.
 */
public final class PoolPause {
  private static final long LEAST_NANOS = 1_000_000_000L;
  private static final long MOST_NANOS = 60_000_000_000L;
  private static final int MOST_DOUBLINGS = 6;

  /** The time between two requests that try whether a pause with a stated end is over already. */
  static final long TRY_NANOS = 300_000_000_000L;

  private final RandomGenerator random;
  private final QuotaGate quotaGate = new QuotaGate();

  @SharedState("pauses of pools")
  private final LongAdder throttled = new LongAdder();

  private int refusals;

  PoolPause(RandomGenerator random) {
    this.random = random;
  }

  /** Returns the gate, which is shut during a pause. */
  QuotaGate gate() {
    return quotaGate;
  }

  /** Returns the instant at which the pause ends, {@code now} when there is none. */
  public long ends(long now) {
    return Math.max(quotaGate.opens(now), quotaGate.statedEnd(now));
  }

  /**
   * Returns the instant from which a request may go: before the end of the pause one that tries,
   * and {@code now} when one may go already.
   */
  public long triedAt(long now) {
    return quotaGate.opens(now);
  }

  /** Returns whether a request has tried before the stated end whether the pause is over. */
  boolean isTried(long now) {
    return quotaGate.statedEnd(now) > now && quotaGate.tried();
  }

  /** Returns the number of answers with status 429. */
  public long throttled() {
    return throttled.sum();
  }

  void countThrottled() {
    throttled.increment();
  }

  /** Ends the pause. Whoever waits for it must be woken. */
  synchronized void end() {
    refusals = 0;
    quotaGate.open();
  }

  /**
   * Records that a request was not refused: the next back-off is short again, and if one tried
   * whether the pause is over, it is. Returns whether that ended it.
   */
  synchronized boolean served(long now) {
    refusals = 0;
    boolean ends = isTried(now);
    if (ends) {
      quotaGate.open();
    }
    return ends;
  }

  /**
   * Pauses for the time that the provider states. No time at all, or an instant that is past, is no
   * answer to the question when to come again: the pause is a back-off.
   */
  synchronized void stated(long nanos, long now) {
    if (nanos > 0) {
      quotaGate.shutStated(now + nanos, TRY_NANOS, now);
    } else {
      quotaGate.shut(now + next(now));
    }
  }

  /**
   * Pauses until a limit of the provider is reset, according to the provider, but no longer than a
   * back-off: part of that limit is available earlier, and the gateway's own limit has learned how
   * much.
   */
  synchronized void until(long resetNanos, long now) {
    long backOff = next(now);
    quotaGate.shut(now + (resetNanos > 0 ? Math.min(resetNanos, backOff) : backOff));
  }

  /** Pauses for a back-off, but at least for {@code leastNanos}, which the provider states. */
  synchronized void backOff(long leastNanos, long now) {
    long backOff = next(now);
    if (leastNanos > MOST_NANOS) {
      quotaGate.shutStated(now + leastNanos, TRY_NANOS, now);
    } else {
      quotaGate.shut(now + Math.max(leastNanos, backOff));
    }
  }

  private long next(long now) {
    if (quotaGate.opens(now) <= now) {
      refusals = Math.min(refusals + 1, MOST_DOUBLINGS + 1);
    }
    long whole = Math.min(MOST_NANOS, LEAST_NANOS << (Math.max(1, refusals) - 1));
    return whole / 2 + random.nextLong(whole / 2 + 1);
  }
}
