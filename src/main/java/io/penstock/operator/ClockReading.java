package io.penstock.operator;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The present instant on the monotonic clock and the wall clock. */
record ClockReading(long nanos, long unixMillis) {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT).withZone(ZoneId.systemDefault());

  /** Returns an instant of the monotonic clock as RFC 3339 text. */
  String text(long instantNanos) {
    // Maps an instant that never comes to one in the far future.
    long millis = Math.clamp((instantNanos - nanos) / 1_000_000, -1L << 40, 1L << 40);
    return Instant.ofEpochMilli(unixMillis + millis).toString();
  }

  /** Returns the time of day of an instant, in the zone of this machine. */
  String time(long instantNanos) {
    return TIME.format(Instant.parse(text(instantNanos)));
  }

  @Nullable String ifToCome(long instantNanos) {
    return instantNanos > nanos ? text(instantNanos) : null;
  }
}
