package io.penstock.region;

import java.util.function.DoubleSupplier;

/**
 * Schedule of a request that is sent to a store periodically, one at a time; a request without an
 * answer in time is given up. Not thread-safe.
 */
final class PollSchedule {
  /**
   * Largest share taken off a period at random, so that instances that start together do not ask
   * together for ever.
   */
  private static final double JITTER = 0.2;

  private final long everyNanos;
  private final long timeoutNanos;
  private final DoubleSupplier random;
  private long number;
  private boolean awaiting;
  private long sentAt;
  private long nextAt;

  /**
   * Creates a schedule with the first request due at once.
   *
   * @param everyNanos time between two requests; up to a fifth is taken off at random
   * @param random returns numbers from 0 to 1
   */
  PollSchedule(long everyNanos, long timeoutNanos, DoubleSupplier random, long now) {
    this.everyNanos = everyNanos;
    this.timeoutNanos = timeoutNanos;
    this.random = random;
    this.nextAt = now;
  }

  /** Gives up a request without an answer in time; returns whether there was one. */
  boolean dropOverdue(long now) {
    boolean late = awaiting && now - sentAt >= timeoutNanos;
    awaiting &= !late;
    return late;
  }

  /** Returns whether a request is due: none is under way, and the period has passed. */
  boolean due(long now) {
    return !awaiting && now >= nextAt;
  }

  /** Begins a request and returns its number. */
  long begin(long now) {
    awaiting = true;
    sentAt = now;
    skip(now);
    number++;
    return number;
  }

  /** Schedules the next request one period from now. */
  void skip(long now) {
    nextAt = now + (long) (everyNanos * (1 - JITTER * random.getAsDouble()));
  }

  /** Schedules the next request for now. */
  void hurry(long now) {
    nextAt = now;
  }

  /**
   * Ends a request; returns whether it was still awaited, which a request that was given up is not.
   */
  boolean ends(long which) {
    boolean inTime = awaiting && which == number;
    awaiting &= !inTime;
    return inTime;
  }

  /** Returns when the last request began. */
  long sentAt() {
    return sentAt;
  }

  /** Returns the next instant at which there is something to do. */
  long next() {
    return awaiting ? sentAt + timeoutNanos : nextAt;
  }
}
