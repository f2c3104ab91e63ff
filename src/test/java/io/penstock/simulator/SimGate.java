package io.penstock.simulator;

/** Whether an upstream accepts requests, as the oracle models it. */
final class SimGate {
  private static final long SHORT = 1_000_000_000L;

  private long from = Long.MIN_VALUE;
  private long trial;

  /** The instant of its last change, announced or observed. */
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

  /** Returns whether it can be relied on: not on trial, and not shut for longer than a second. */
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

  /** Resets the gate for a newly configured upstream: a trial ends, an announced pause stays. */
  void forget(long now) {
    if (onTrial()) {
      open(now);
    }
  }

  /** Notes that a request passes: on trial it is the only one for a while. */
  void passed(long now) {
    if (trial > 0) {
      from = now + trial;
      changedAt = now;
    }
  }
}
