package io.penstock.time;

/**
 * The monotonic clock: nanoseconds since an origin of its own, never negative, never going back.
 *
 * <p>Each step of a request reads it once and passes the instant on, so that everything decided in
 * one step is decided for the same instant.
 */
@FunctionalInterface
public interface Ticker {
  /** An instant that never comes: only a wake-up helps. */
  long NEVER = Long.MAX_VALUE;

  /** Returns the current instant in nanoseconds. Safe to call from any thread. */
  long nanos();

  /** Returns the clock of this process; its origin is the moment of this call. */
  static Ticker system() {
    long origin = System.nanoTime();
    return () -> System.nanoTime() - origin;
  }
}
