package io.penstock.time;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;

/**
 * The midnights of a time zone, of all days or of those that begin a month, in instants of the
 * monotonic clock. The wall clock is read at each call, so that it may be set, and drift from the
 * monotonic one, between two of them.
 *
 * @param zone where it is midnight, daylight saving included
 * @param wall what tells the time of day
 * @param each which of them
 */
public record Midnight(ZoneId zone, WallClock wall, Each each) {
  /** Of what one begins. */
  public enum Each {
    /** A day. */
    DAY(1),
    /** A month of the calendar. */
    MONTH(31);

    private final long days;

    Each(long days) {
      this.days = days;
    }
  }

  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final long NANOS_PER_DAY = 86_400_000_000_000L;

  /** All midnights. */
  public Midnight(ZoneId zone, WallClock wall) {
    this(zone, wall, Each.DAY);
  }

  /** Returns how long it is from one to the next at most, an hour of daylight saving aside. */
  public long apartNanos() {
    return each.days * NANOS_PER_DAY;
  }

  /**
   * Returns the first of them after {@code instant}, to the millisecond: the first moment of the
   * next date of the zone, or of the next first of a month.
   *
   * @param now the instant at which this is asked, in nanoseconds as the other one
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
