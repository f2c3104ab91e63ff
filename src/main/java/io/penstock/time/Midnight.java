package io.penstock.time;

import java.time.Instant;
import java.time.ZoneId;

/**
 * The midnights of a time zone in instants of the monotonic clock. The wall clock is read at each
 * call, so that it may be set, and drift from the monotonic one, between two of them.
 *
 * @param zone where it is midnight, daylight saving included
 * @param wall what tells the time of day
 */
public record Midnight(ZoneId zone, WallClock wall) {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * Returns the first midnight after {@code instant}, to the millisecond: the first moment of the
   * next date of the zone.
   *
   * @param now the instant at which this is asked, in nanoseconds as the other one
   */
  public long after(long instant, long now) {
    long wallMillis = wall.unixMillis() + Math.floorDiv(instant - now, NANOS_PER_MILLI);
    Instant next =
        Instant.ofEpochMilli(wallMillis)
            .atZone(zone)
            .toLocalDate()
            .plusDays(1)
            .atStartOfDay(zone)
            .toInstant();
    return instant + (next.toEpochMilli() - wallMillis) * NANOS_PER_MILLI;
  }
}
