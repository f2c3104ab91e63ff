package io.penstock.fake;

import java.util.Map;
import java.util.TreeMap;

/**
 * A provider's own limit over fixed windows that follow each other without gap. A request may
 * arrive a little after the edge before which it was let go: one that comes within the grace counts
 * to the earlier window while that has room. Safe from any thread.
 */
public final class FixedChecker {
  private final long limit;
  private final long windowNanos;
  private final long graceNanos;
  private final Map<Long, Long> used = new TreeMap<>();
  private final Map<Long, Long> produced = new TreeMap<>();
  private long begin = Long.MIN_VALUE;

  /** Makes a checker of at most {@code limit} in each window. */
  public FixedChecker(long limit, long windowNanos, long graceNanos) {
    this.limit = limit;
    this.windowNanos = windowNanos;
    this.graceNanos = graceNanos;
  }

  /** Has the first window start at {@code now}; no effect when it has started. */
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

  /** Charges what was produced, whether it fits or not; the instant may be to come. */
  public synchronized void produced(long at, long amount) {
    used.merge(window(at), amount, Long::sum);
    produced.merge(window(at), amount, Long::sum);
  }

  /** Returns the number of the window at an instant, 0 is the first. */
  public synchronized long window(long at) {
    return Math.floorDiv(at - begin, windowNanos);
  }

  /** Returns the instant a window starts. */
  public synchronized long start(long window) {
    return begin + window * windowNanos;
  }

  /** Returns what a window has used. */
  public synchronized long used(long window) {
    return used.getOrDefault(window, 0L);
  }

  /** Returns what was produced in a window, arrivals apart. */
  public synchronized long produced(long window) {
    return produced.getOrDefault(window, 0L);
  }

  /** Returns the largest sum that any window has. */
  public synchronized long most() {
    return used.values().stream().mapToLong(Long::longValue).max().orElse(0);
  }

  /** Returns all that was charged. */
  public synchronized long total() {
    return used.values().stream().mapToLong(Long::longValue).sum();
  }

  /** Returns the limit of a window. */
  public long limit() {
    return limit;
  }
}
