package io.penstock.load;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What a provider counts: the tokens of its requests, with a limit over any trailing minute. Safe
 * for use by many threads.
 */
final class Account {
  private static final long MINUTE_NANOS = 60_000_000_000L;

  private record Spend(long nanos, long tokens) {}

  private final long limitTokens;
  private final Deque<Spend> minute = new ArrayDeque<>();
  private final List<Spend> all = new ArrayList<>();
  private long used;
  private long throttled;

  /** Makes one with a limit in tokens per trailing minute. */
  Account(long limitTokens) {
    this.limitTokens = limitTokens;
  }

  /** Takes tokens at an instant of a monotonic clock; false if that is more than is allowed. */
  synchronized boolean take(long nanos, long tokens) {
    while (!minute.isEmpty() && nanos - minute.getFirst().nanos() >= MINUTE_NANOS) {
      used -= minute.removeFirst().tokens();
    }
    if (tokens > limitTokens - used) {
      throttled++;
      return false;
    }
    Spend spend = new Spend(nanos, tokens);
    minute.addLast(spend);
    all.add(spend);
    used += tokens;
    return true;
  }

  synchronized long throttled() {
    return throttled;
  }

  /** Returns the tokens of each window that is over at an instant; the first begins with a take. */
  synchronized List<Long> windows(long nanos, long windowNanos) {
    List<Long> windows = new ArrayList<>();
    if (all.isEmpty()) {
      return windows;
    }
    long first = all.getFirst().nanos();
    for (long over = (nanos - first) / windowNanos; over > 0; over--) {
      windows.add(0L);
    }
    for (Spend spend : all) {
      int at = (int) ((spend.nanos() - first) / windowNanos);
      if (at < windows.size()) {
        windows.set(at, windows.get(at) + spend.tokens());
      }
    }
    return windows;
  }
}
