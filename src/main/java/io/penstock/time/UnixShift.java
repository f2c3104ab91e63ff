package io.penstock.time;

/**
 * Difference between the Unix clock and the monotonic one, by which instances and regions agree on
 * cells. It follows the wall clock only when that was set or drifted, so that cells do not begin at
 * slightly different instants each time. Not thread-safe.
 */
public final class UnixShift {
  /** The shift follows the wall clock when it changed by more than this. */
  private static final long SET_NANOS = 20_000_000;

  private static final long NANOS_PER_MILLI = 1_000_000;

  private final WallClock wall;
  private long shiftNanos;

  /** Reads both clocks. */
  public UnixShift(WallClock wall, long now) {
    this.wall = wall;
    this.shiftNanos = read(now);
  }

  private long read(long now) {
    return wall.unixMillis() * NANOS_PER_MILLI - now;
  }

  /** Reads both clocks again; returns whether the shift has changed. */
  public boolean follow(long now) {
    long reported = read(now);
    boolean set = Math.abs(reported - shiftNanos) > SET_NANOS;
    shiftNanos = set ? reported : shiftNanos;
    return set;
  }

  /** Returns the nanoseconds that give Unix nanoseconds when they are added to an instant. */
  public long nanos() {
    return shiftNanos;
  }

  /** Returns the number of the cell of {@code cellNanos} that runs at {@code now}. */
  public long cell(long cellNanos, long now) {
    return Math.floorDiv(now + shiftNanos, cellNanos);
  }
}
