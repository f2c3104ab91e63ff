package io.penstock.metrics;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.penstock.tenant.SharedState;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The remaining budget for a scrape, in bytes: a meter may be created only after its size was taken
 * from it. Sizes are estimated generously, so that a scrape is never larger. Safe from any thread.
 */
final class ScrapeBudget {
  /** Unlimited budget, for meters that are bounded otherwise. */
  static final ScrapeBudget ENDLESS = new ScrapeBudget(Long.MAX_VALUE);

  /** Braces, suffix and value of a line. */
  private static final int LINE = 32;

  /** Bucket bound and longer suffix of a histogram's line. */
  private static final int BOUND = 20;

  @SharedState("labels of metrics")
  private final AtomicLong left;

  ScrapeBudget(long bytes) {
    this.left = new AtomicLong(bytes);
  }

  /** Takes bytes from the budget; returns false if it has fewer left. */
  boolean take(long bytes) {
    if (this == ENDLESS) {
      return true;
    }
    long before = left.get();
    while (before >= bytes) {
      if (left.compareAndSet(before, before - bytes)) {
        return true;
      }
      before = left.get();
    }
    return false;
  }

  /** Gives bytes back to the budget. */
  void give(long bytes) {
    if (this != ENDLESS) {
      left.addAndGet(bytes);
    }
  }

  /** Returns the size of the given number of single-line meters. */
  static long lines(int lines, String name, Tags tags) {
    long line = (long) LINE + name.length();
    for (Tag tag : tags) {
      line += 4L + tag.getKey().length() + printed(tag.getValue());
    }
    return lines * line;
  }

  /** Returns the size of a histogram: its buckets, the infinite bucket, sum, count and maximum. */
  static long histogram(int bounds, String name, Tags tags) {
    return (bounds + 4L) * BOUND + lines(bounds + 4, name, tags);
  }

  private static long printed(String value) {
    long escapes = value.chars().filter(c -> c == '"' || c == '\\' || c == '\n').count();
    return value.getBytes(StandardCharsets.UTF_8).length + escapes;
  }
}
