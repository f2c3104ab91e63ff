package io.penstock.shares;

import io.penstock.time.Ticker;
import io.penstock.time.WallClock;

/**
 * Unix time by the monotonic clock. It follows the wall clock when that was set, or has drifted,
 * and never because a thread stood still between the readings of both clocks: windows would begin
 * too early for as long as it stood. It is late by at most two milliseconds, never early. Safe from
 * any thread.
 */
final class UnixTime {
  private static final long MILLI = 1_000_000;

  private final WallClock wall;
  private final Ticker ticker;
  private long shiftNanos;

  /** Reads both clocks. */
  UnixTime(WallClock wall, Ticker ticker) {
    this.wall = wall;
    this.ticker = ticker;
    this.shiftNanos = wall.unixMillis() * MILLI - ticker.nanos();
  }

  /** Returns the present on the monotonic clock. */
  long now() {
    return ticker.nanos();
  }

  /** Returns the nanoseconds since 1970 at an instant of the monotonic clock. */
  synchronized long nanos(long instant) {
    long before = ticker.nanos();
    long shift = wall.unixMillis() * MILLI - before;
    boolean isQuick = ticker.nanos() - before < MILLI / 2;
    // readings are late by less than a millisecond, because they are of whole milliseconds
    boolean isSetBack = shift < shiftNanos - MILLI;
    if (isQuick && (shift > shiftNanos || isSetBack)) {
      shiftNanos = shift;
    }
    return instant + shiftNanos - MILLI; // the clocks may have drifted by so much
  }
}
