package io.penstock.pool;

import java.util.Arrays;

/**
 * Jitter of sending requests to a provider: p99 − p1 of the time from release until the last byte
 * of the request was written, over the last 1,000 requests. Safe from any thread.
 */
final class SendJitter {
  private static final int KEPT = 1_000;
  private static final int EVERY = 32;

  private final long[] samples = new long[KEPT];
  private long count;
  private long nanos;

  /** Adds a sample and returns the jitter, 0 until there are two. */
  synchronized long add(long sampleNanos) {
    samples[(int) (count % KEPT)] = sampleNanos;
    count++;
    // Sorting a thousand samples for every request costs too much; the first few samples each
    // matter.
    if (count <= EVERY || count % EVERY == 0) {
      nanos = spread();
    }
    return nanos;
  }

  private long spread() {
    int kept = (int) Math.min(count, KEPT);
    long[] sorted = Arrays.copyOf(samples, kept);
    Arrays.sort(sorted);
    int low = (int) Math.floor(0.01 * (kept - 1));
    int high = (int) Math.ceil(0.99 * (kept - 1));
    return sorted[high] - sorted[low];
  }
}
