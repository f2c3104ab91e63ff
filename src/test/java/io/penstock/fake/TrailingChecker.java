package io.penstock.fake;

import java.util.Map;
import java.util.TreeMap;

/**
 * A provider's own limit over any trailing window, exact to the nanosecond: a charge at {@code t}
 * counts from {@code t} until just before {@code t} plus the window. Shares no code with the
 * gateway's limits, so that they cannot have the same mistake. Safe from any thread.
 */
public final class TrailingChecker {
  private final long limit;
  private final long windowNanos;

  /** Total charged up to and including each instant with a charge. */
  private final TreeMap<Long, Long> sums = new TreeMap<>();

  /** Creates a checker of at most {@code limit} in any {@code windowNanos}. */
  public TrailingChecker(long limit, long windowNanos) {
    this.limit = limit;
    this.windowNanos = windowNanos;
  }

  /** Returns whether {@code amount} more would still be within the limit. */
  public synchronized boolean fits(long now, long amount) {
    return used(now) + amount <= limit;
  }

  /** Charges {@code amount}, whether or not it fits; the instant may be in the future. */
  public synchronized void charge(long at, long amount) {
    sums.putIfAbsent(at, sum(at));
    sums.tailMap(at, true).replaceAll((instant, sum) -> sum + amount);
  }

  private long sum(long until) {
    Map.Entry<Long, Long> last = sums.floorEntry(until);
    return last == null ? 0 : last.getValue();
  }

  /** Returns the amount in the window that ends at {@code now}, inclusive. */
  public synchronized long used(long now) {
    return sum(now) - sum(now - windowNanos);
  }

  /** Returns the largest amount in any trailing window so far. */
  public synchronized long most() {
    long most = 0;
    for (long at : sums.keySet()) {
      most = Math.max(most, used(at));
    }
    return most;
  }

  /**
   * Returns the smallest amount in all windows that end from {@code from} to {@code to}, or the
   * limit if there is no such window.
   */
  public synchronized long least(long from, long to) {
    if (from > to) {
      return limit;
    }
    long least = used(from);
    for (long at : sums.keySet()) {
      // Amounts only decrease when a charge leaves its window.
      long leaves = at + windowNanos;
      if (leaves >= from && leaves <= to) {
        least = Math.min(least, used(leaves));
      }
    }
    return least;
  }

  /**
   * Returns the time average of the amounts in windows that end from {@code from} to {@code to}; 0
   * if that time is empty.
   */
  public synchronized double mean(long from, long to) {
    double sum = 0;
    for (Map.Entry<Long, Long> each : charges().entrySet()) {
      long counts = Math.min(to, each.getKey() + windowNanos) - Math.max(from, each.getKey());
      sum += (double) each.getValue() * Math.max(0, counts);
    }
    return from < to ? sum / (to - from) : 0;
  }

  /** Returns the total amount charged. */
  public synchronized long total() {
    return sums.isEmpty() ? 0 : sums.lastEntry().getValue();
  }

  /** Returns all charges by their instants. */
  public synchronized Map<Long, Long> charges() {
    Map<Long, Long> charges = new TreeMap<>();
    long before = 0;
    for (Map.Entry<Long, Long> each : sums.entrySet()) {
      charges.put(each.getKey(), each.getValue() - before);
      before = each.getValue();
    }
    return charges;
  }

  /** Returns the limit. */
  public long limit() {
    return limit;
  }

  /** Returns the length of the window. */
  public long windowNanos() {
    return windowNanos;
  }
}
