package io.penstock.sim;

/** Whether anything goes to an upstream at all, as the oracle sees it. */
final class SimGate {
  private static final long SHORT = 1_000_000_000L;

  private long from = Long.MIN_VALUE;
  private long trial;

  /** When it was last said, or seen, to be something else. */
  private long changedAt = Long.MIN_VALUE;

  long opens(long now) {
    return Math.max(now, from);
  }

  boolean shut(long now) {
    return from > now;
  }

  boolean onTrial() {
    return trial > 0;
  }

  /** Whether it can be relied on: not on trial, and not shut for longer than a second. */
  boolean available(long now) {
    return !onTrial() && opens(now) - now <= SHORT;
  }

  boolean changed(long now) {
    return changedAt == now;
  }

  void shut(long until, long now) {
    from = Math.max(from, until);
    changedAt = now;
  }

  void tryFrom(long instant, long each, long now) {
    from = instant;
    trial = each;
    changedAt = now;
  }

  void open(long now) {
    from = Long.MIN_VALUE;
    trial = 0;
    changedAt = now;
  }

  /**
   * Its upstream is configured anew: it is tried no more, and is shut as long as it was said to.
   */
  void forget(long now) {
    if (onTrial()) {
      open(now);
    }
  }

  /** A request passes: on trial it is the only one for a while. */
  void passed(long now) {
    if (trial > 0) {
      from = now + trial;
      changedAt = now;
    }
  }
}
