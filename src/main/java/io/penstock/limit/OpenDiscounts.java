package io.penstock.limit;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Discounts on charges of one limit: amounts that a provider will count unless it reads them from
 * its cache, as is expected. A discount is open until the answer states what was read. The sum of
 * those that are open is bounded, so that a provider counts at most that much more than what was
 * charged, even if its cache stops working.
 *
 * <p>An answer that read much less than was expected ends discounts, until one that was asked for
 * later reads what was expected of it: many requests may wait with an expectation from before the
 * cache stopped working, and answers from before it stopped may state their input after that. The
 * discounts that are still open then are in doubt: the provider may have counted them already, so
 * as much is kept free until their answers state what was read. Safe from any thread.
 */
public final class OpenDiscounts {
  /** The part of what was expected to be read that may be missing, as 1 ÷ this. */
  private static final int MISSING = 4;

  @SharedState("limits")
  private final AtomicLong open = new AtomicLong();

  /**
   * An odd number while discounts are in doubt. Each new doubt raises it by one or two, and the end
   * of doubt by one.
   */
  @SharedState("limits")
  private final AtomicLong doubts = new AtomicLong();

  OpenDiscounts() {}

  /** Returns a copy, which goes on without this one. */
  OpenDiscounts copy() {
    OpenDiscounts copy = new OpenDiscounts();
    copy.open.set(open.get());
    copy.doubts.set(doubts.get());
    return copy;
  }

  /** Returns the sum of all open discounts, ≥ 0. */
  public long sum() {
    return open.get();
  }

  /** Returns the sum of the open discounts that the provider has probably counted, ≥ 0. */
  public long inDoubt() {
    return doubted() ? open.get() : 0;
  }

  /**
   * Returns the largest discount that may be opened now; {@link Long#MAX_VALUE} is any.
   *
   * @param bound the most that may be open, ≥ 0
   * @param alone whether a discount may be larger than the bound when no other is open
   */
  public long free(long bound, boolean alone) {
    return free(open.get(), bound, alone);
  }

  private long free(long sum, long bound, boolean alone) {
    if (doubted()) {
      return 0;
    }
    return alone && sum == 0 ? Long.MAX_VALUE : Math.max(0, bound - sum);
  }

  private boolean doubted() {
    return (doubts.get() & 1) == 1;
  }

  /** Returns a number that changes with each doubt, to be passed to {@link #stated}. */
  public long doubts() {
    return doubts.get();
  }

  /**
   * Learns from the input that an answer states. Returns whether discounts are possible again
   * because of it.
   *
   * @param expected the input that a cache was expected to have, &gt; 0
   * @param missing the part of it that was not read, 0 to {@code expected}
   * @param doubtsBefore the {@link #doubts} when its request was released
   */
  public boolean stated(long expected, long missing, long doubtsBefore) {
    if (missing > expected / MISSING) {
      doubt();
      return false;
    }
    return (doubtsBefore & 1) == 1 && doubts.compareAndSet(doubtsBefore, doubtsBefore + 1);
  }

  /** Ends discounts, because a provider refused a request that had one. */
  public void doubt() {
    doubts.updateAndGet(before -> (before & 1) == 1 ? before + 2 : before + 1);
  }

  /**
   * Opens a discount of at most {@code most}, and returns it: less where less may be opened.
   *
   * @param bound as in {@link #free}
   * @param alone as in {@link #free}
   */
  public long open(long most, long bound, boolean alone) {
    while (true) {
      long sum = open.get();
      long discount = Math.min(most, free(sum, bound, alone));
      if (discount == 0 || open.compareAndSet(sum, sum + discount)) {
        return discount;
      }
    }
  }

  /** Ends a discount of that size. */
  public void close(long discount) {
    open.addAndGet(-discount);
  }
}
