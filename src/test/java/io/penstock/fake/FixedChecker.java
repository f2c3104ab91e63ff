package io.penstock.fake;

import java.util.Map;
import java.util.TreeMap;

/**
 * A provider's own limit over consecutive fixed windows. A request may arrive slightly after the
 * edge of the window in which it was released: one that arrives within the grace period counts in
 * the earlier window as long as that has room. Safe from any thread.
 */
public final class FixedChecker {
  private final long limit;
  private final long windowNanos;
  private final long graceNanos;
  private final Map<Long, Long> used = new TreeMap<>();
  private final Map<Long, Long> produced = new TreeMap<>();
  private long begin = Long.MIN_VALUE;

  /** Creates a checker of at most {@code limit} in each window. */
  public FixedChecker(long limit, long windowNanos, long graceNanos) {
    this.limit = limit;
    this.windowNanos = windowNanos;
    this.graceNanos = graceNanos;
  }

  /** Starts the first window at {@code now}; has no effect if it has started. */
  public synchronized void begin(long now) {
    if (begin == Long.MIN_VALUE) {
      begin = now;
    }
  }

  /** Charges an arrival of {@code amount}, or returns false and charges nothing. */
  public synchronized boolean arrives(long now, long amount) {
    begin(now);
    long window = window(now);
    boolean late = window > 0 && now - begin - window * windowNanos <= graceNanos;
    if (late && used(window - 1) + amount <= limit) {
      used.merge(window - 1, amount, Long::sum);
      return true;
    }
    if (used(window) + amount > limit) {
      return false;
    }
    used.merge(window, amount, Long::sum);
    return true;
  }

  /** Charges produced output, whether or not it fits; the instant may be in the future. */
  public synchronized void produced(long at, long amount) {
    used.merge(window(at), amount, Long::sum);
    produced.merge(window(at), amount, Long::sum);
  }

  /** Returns the number of the window at an instant; the first is 0. */
  public synchronized long window(long at) {
    return Math.floorDiv(at - begin, windowNanos);
  }

  /** Returns the start of a window. */
  public synchronized long start(long window) {
    return begin + window * windowNanos;
  }

  /** Returns the amount charged in a window. */
  public synchronized long used(long window) {
    return used.getOrDefault(window, 0L);
  }

  /** Returns the amount produced in a window, without arrivals. */
  public synchronized long produced(long window) {
    return produced.getOrDefault(window, 0L);
  }

  /** Returns the largest amount charged in any window. */
  public synchronized long most() {
    return used.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Returns the total amount charged. */
  public synchronized long total() {
    return used.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the limit of a window. */
  public long limit() {
    return limit;
  }
}
