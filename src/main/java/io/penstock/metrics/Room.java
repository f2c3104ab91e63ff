package io.penstock.metrics;

import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much more there may be to scrape, in bytes: who would make a meter takes its place first.
 * Counted generously, so that what is scraped is never larger. Safe from any thread.
 */
final class Room {
  /** Room that never ends, for what is bounded otherwise. */
  static final Room ENDLESS = new Room(Long.MAX_VALUE);

  /** The prefix, suffix and value of a line, and a bound's label. */
  private static final int LINE = 48;

  private final AtomicLong left;

  Room(long bytes) {
    this.left = new AtomicLong(bytes);
  }

  /** Takes so many bytes if there are as many. */
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

  /** Gives back what was taken. */
  void give(long bytes) {
    if (this != ENDLESS) {
      left.addAndGet(bytes);
    }
  }

  /** Returns how large the lines of meters are that have one each. */
  static long lines(int lines, String name, Tags tags) {
    long line = (long) LINE + name.length();
    for (Tag tag : tags) {
      line += 4L + tag.getKey().length() + printed(tag.getValue());
    }
    return lines * line;
  }

  /** Returns how large a histogram is: its bounds, the last of all, sum, count, and the most. */
  static long histogram(int bounds, String name, Tags tags) {
    return lines(bounds + 4, name, tags);
  }

  private static long printed(String value) {
    long escapes = value.chars().filter(c -> c == '"' || c == '\\' || c == '\n').count();
    return value.getBytes(StandardCharsets.UTF_8).length + escapes;
  }
}
