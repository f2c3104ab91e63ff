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
  private final List<Long> throttled = new ArrayList<>();
  private long used;

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
      throttled.add(nanos);
      return false;
    }
    Spend spend = new Spend(nanos, tokens);
    minute.addLast(spend);
    all.add(spend);
    used += tokens;
    return true;
  }

  synchronized long throttled() {
    return throttled.size();
  }

  /** Returns when somebody was refused: milliseconds after the first take. */
  synchronized List<Long> throttledAt() {
    List<Long> at = new ArrayList<>();
    for (long nanos : throttled) {
      at.add(all.isEmpty() ? 0 : (nanos - all.getFirst().nanos()) / 1_000_000);
    }
    return at;
  }

  /** Returns what was taken: milliseconds after the first take, and tokens. */
  synchronized List<long[]> taken() {
    List<long[]> taken = new ArrayList<>();
    for (Spend spend : all) {
      long after = spend.nanos() - all.getFirst().nanos();
      taken.add(new long[] {after / 1_000_000, spend.tokens()});
    }
    return taken;
  }
}
