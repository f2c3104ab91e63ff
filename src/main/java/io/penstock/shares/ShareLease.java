package io.penstock.shares;

import io.penstock.time.Ticker;

/**
 * The instant until which an instance may spend its shares. It ends a lease after the last answered
 * message, or, where shares are spent on while the store is away, a lease after the clock was last
 * read: a process that did not run for that long may have been declared dead. Safe from any thread.
 */
public final class ShareLease {
  private volatile long untilNanos = Long.MIN_VALUE;

  /** Returns whether shares may be spent at {@code now}. */
  public boolean holds(long now) {
    return now < untilNanos;
  }

  /** Sets the instant at which it ends; {@link Ticker#NEVER} for never. */
  void until(long instant) {
    untilNanos = instant;
  }
}
