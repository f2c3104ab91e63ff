package io.penstock.region;

import java.util.function.DoubleSupplier;

/**
 * Something that is asked of the database again and again, once at a time: what has no answer in
 * time is given up. Not safe for threads.
 */
final class Errand {
  /** Instances that start together are not to ask together for ever. */
  private static final double JITTER = 0.2;

  private final long everyNanos;
  private final long timeoutNanos;
  private final DoubleSupplier random;
  private long number;
  private boolean awaiting;
  private long sentAt;
  private long nextAt;

  /**
   * Makes one that is due at once.
   *
   * @param everyNanos between two, of which up to a fifth is taken off
   * @param random from 0 to 1
   */
  Errand(long everyNanos, long timeoutNanos, DoubleSupplier random, long now) {
    this.everyNanos = everyNanos;
    this.timeoutNanos = timeoutNanos;
    this.random = random;
    this.nextAt = now;
  }

  /** Gives up what has no answer; returns whether there was something. */
  boolean givesUp(long now) {
    boolean late = awaiting && now - sentAt >= timeoutNanos;
    awaiting &= !late;
    return late;
  }

  boolean due(long now) {
    return !awaiting && now >= nextAt;
  }

  /** Begins one; returns its number. */
  long begin(long now) {
    awaiting = true;
    sentAt = now;
    skip(now);
    number++;
    return number;
  }

  /** Has the next one come in its time. */
  void skip(long now) {
    nextAt = now + (long) (everyNanos * (1 - JITTER * random.getAsDouble()));
  }

  /** Has the next one come at once. */
  void hurry(long now) {
    nextAt = now;
  }

  /** Ends one; returns whether it was awaited still. */
  boolean ends(long which) {
    boolean inTime = awaiting && which == number;
    awaiting &= !inTime;
    return inTime;
  }

  /** Returns when the last one began. */
  long sentAt() {
    return sentAt;
  }

  /** Returns when there is something to do next. */
  long next() {
    return awaiting ? sentAt + timeoutNanos : nextAt;
  }
}
