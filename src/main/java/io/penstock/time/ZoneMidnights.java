package io.penstock.time;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

/**
 * The midnights of a time zone, of all days or of those that begin a month, in instants of the
 * monotonic clock. The wall clock is read at each call, because it may be set, or drift from the
 * monotonic one, between two calls.
 *
 * @param zone where it is midnight, daylight saving included
 * @param wall the clock with the time of day
 * @param each which midnights
 */
public record ZoneMidnights(ZoneId zone, WallClock wall, Each each) {
  /** Selection of midnights. */
  public enum Each {
    /** Those that begin a day. */
    DAY(1),
    /** Those that begin a month of the calendar. */
    MONTH(31);

    private final long days;

    Each(long days) {
      this.days = days;
    }
  }

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long NANOS_PER_DAY = 86_400_000_000_000L;

  /** Creates the midnights of all days. */
  public ZoneMidnights(ZoneId zone, WallClock wall) {
    this(zone, wall, Each.DAY);
  }

  /** Returns the longest time between two midnights, an hour of daylight saving aside. */
  public long apartNanos() {
    return each.days * NANOS_PER_DAY;
  }

  /**
   * Returns the first midnight after {@code instant}, to the millisecond: the first moment of the
   * next date of the zone, or of the next first of a month.
   *
   * @param now the present instant, in nanoseconds of the same clock
   */
  public long after(long instant, long now) {
    long wallMillis = wall.unixMillis() + Math.floorDiv(instant - now, NANOS_PER_MILLI);
    LocalDate date = Instant.ofEpochMilli(wallMillis).atZone(zone).toLocalDate();
    LocalDate after =
        switch (each) {
          case DAY -> date.plusDays(1);
          case MONTH -> date.withDayOfMonth(1).plusMonths(1);
        };
    Instant next = after.atStartOfDay(zone).toInstant();
    return instant + (next.toEpochMilli() - wallMillis) * NANOS_PER_MILLI;
  }
}
