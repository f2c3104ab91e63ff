package io.penstock.mock;

import java.time.Instant;

/** Formats times as providers do in headers, always rounded up. */
final class MockTimes {
  private static final long NANOS_PER_MILLI = 1_000_000L;
  private static final long MILLIS_PER_SECOND = 1_000;
  private static final long MILLIS_PER_MINUTE = 60 * MILLIS_PER_SECOND;
  private static final long MILLIS_PER_HOUR = 60 * MILLIS_PER_MINUTE;

  private MockTimes() {}

  /** Returns milliseconds, rounded up. */
  static long millis(long nanos) {
    return (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  /** Returns seconds, rounded up. */
  static long seconds(long nanos) {
    return (millis(nanos) + MILLIS_PER_SECOND - 1) / MILLIS_PER_SECOND;
  }

  /** Returns a duration as Go prints it, to the millisecond: {@code 6ms}, {@code 1m2.5s}. */
  static String goDuration(long nanos) {
    long millis = millis(nanos);
    if (millis == 0) {
      return "0s";
    }
    if (millis < MILLIS_PER_SECOND) {
      return millis + "ms";
    }
    StringBuilder text = new StringBuilder(12);
    if (millis >= MILLIS_PER_HOUR) {
      text.append(millis / MILLIS_PER_HOUR).append('h');
    }
    if (millis >= MILLIS_PER_MINUTE) {
      text.append(millis % MILLIS_PER_HOUR / MILLIS_PER_MINUTE).append('m');
    }
    long inMinute = millis % MILLIS_PER_MINUTE;
    text.append(inMinute / MILLIS_PER_SECOND);
    String fraction = String.valueOf(MILLIS_PER_SECOND + inMinute % MILLIS_PER_SECOND);
    int end = fraction.length();
    while (fraction.charAt(end - 1) == '0') {
      end--;
    }
    if (end > 1) {
      text.append('.').append(fraction, 1, end);
    }
    return text.append('s').toString();
  }

  /** Returns seconds to the millisecond, in protobuf's JSON format. */
  static String protoSeconds(long nanos) {
    long millis = millis(nanos);
    String fraction = String.valueOf(MILLIS_PER_SECOND + millis % MILLIS_PER_SECOND).substring(1);
    return millis / MILLIS_PER_SECOND + "." + fraction + "s";
  }

  /** Returns the instant {@code nanos} after {@code unixMillis} to the second, as RFC 3339. */
  static String rfc3339(long unixMillis, long nanos) {
    long seconds = Math.ceilDiv(unixMillis + millis(nanos), MILLIS_PER_SECOND);
    return Instant.ofEpochSecond(seconds).toString();
  }
}
