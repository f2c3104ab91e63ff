package io.penstock.provider;

import java.time.Instant;

/** Form in which a provider states the time until a limit is whole again. */
public enum ResetForm {
  /** A duration as Go prints it: {@code 20ms}, {@code 6s}, {@code 1m30s}. */
  DURATION {
    @Override
    long nanos(ResetTimes resetTimes, String text) {
      return resetTimes.goDuration(text);
    }

    @Override
    public String text(long millis, long unixMillis) {
      if (millis < 1000) {
        return millis + "ms";
      }
      long seconds = Math.ceilDiv(millis, 1000L);
      long minutes = seconds / 60;
      return minutes == 0 ? seconds + "s" : minutes + "m" + seconds % 60 + "s";
    }
  },

  /** An instant in RFC 3339, to the second. */
  INSTANT {
    @Override
    long nanos(ResetTimes resetTimes, String text) {
      return resetTimes.instant(text);
    }

    @Override
    public String text(long millis, long unixMillis) {
      return Instant.ofEpochSecond(Math.ceilDiv(unixMillis + millis, 1000L)).toString();
    }
  };

  /** Returns the nanoseconds until then, as {@link ResetTimes} does. */
  abstract long nanos(ResetTimes resetTimes, String text);

  /**
   * Returns the text of a time.
   *
   * @param millis milliseconds until then, ≥ 0
   * @param unixMillis the present time, in milliseconds of Unix time
   */
  public abstract String text(long millis, long unixMillis);
}
