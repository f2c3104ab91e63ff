package io.penstock.simulator;

import io.penstock.limit.LimitSpec;
import java.util.ArrayDeque;

/** A window that ends at any instant: a release at t counts from t to before t + window. */
final class OracleSliding extends OracleLimit {
  private static final class Release {
    final long instant;
    long amount;

    Release(long instant, long amount) {
      this.instant = instant;
      this.amount = amount;
    }
  }

  private LimitSpec.SlidingWindow spec;

  /** Oldest first. */
  private final ArrayDeque<Release> releases = new ArrayDeque<>();

  private long sum;
  private long reserved;

  OracleSliding(LimitSpec.SlidingWindow spec, long owed, long now) {
    this.spec = spec;
    add(owed, now);
  }

  @Override
  LimitSpec spec() {
    return spec;
  }

  @Override
  long capacity() {
    return spec.capacity();
  }

  private boolean counts(Release release, long now) {
    return now < release.instant + spec.windowNanos();
  }

  private long counted(long now) {
    long counted = sum;
    for (Release release : releases) {
      if (counts(release, now)) {
        break;
      }
      counted -= release.amount;
    }
    return counted;
  }

  @Override
  long free(long now) {
    return Math.max(0, spec.capacity() - reserved - counted(now));
  }

  private void pass(long now) {
    for (Release first = releases.peekFirst();
        first != null && !counts(first, now);
        first = releases.peekFirst()) {
      sum -= first.amount;
      releases.pollFirst();
    }
  }

  private void add(long amount, long now) {
    if (amount > 0) {
      releases.addLast(new Release(now, amount));
      sum += amount;
    }
  }

  @Override
  long take(long taken, long reserved, long now) {
    pass(now);
    add(taken, now);
    this.reserved += reserved;
    if (sum + this.reserved > spec.capacity()) {
      throw new InvariantViolation(
          "%d released and %d held in one window of %s".formatted(sum, this.reserved, spec));
    }
    return now;
  }

  @Override
  void give(long cell, long taken, long reserved, long now) {
    pass(now);
    this.reserved -= reserved;
    long left = taken;
    for (Release release : releases) {
      if (release.instant == cell) {
        long back = Math.min(left, release.amount);
        release.amount -= back;
        sum -= back;
        left -= back;
      }
    }
  }

  @Override
  long charge(long amount, long released, long now) {
    pass(now);
    add(amount, now);
    reserved -= released;
    return now;
  }

  /** A new length starts a new window with what counts in the present one. */
  @Override
  void resize(LimitSpec next, long now) {
    pass(now);
    LimitSpec.SlidingWindow window = (LimitSpec.SlidingWindow) next;
    if (window.windowNanos() != spec.windowNanos()) {
      long owed = sum;
      releases.clear();
      sum = 0;
      add(owed, now);
    }
    spec = window;
  }

  @Override
  long owed(long now) {
    return counted(now);
  }

  @Override
  long held() {
    return reserved;
  }

  @Override
  long subCell() {
    return Long.MAX_VALUE;
  }
}
