package io.penstock.operator;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** This instant on both clocks. */
record Moment(long nanos, long unixMillis) {
  /** Returns an instant of the monotonic clock as text. */
  String text(long instantNanos) {
    // An instant that never comes is far enough away.
    long millis = Math.clamp((instantNanos - nanos) / 1_000_000, -1L << 40, 1L << 40);
    return Instant.ofEpochMilli(unixMillis + millis).toString();
  }

  @Nullable String ifToCome(long instantNanos) {
    return instantNanos > nanos ? text(instantNanos) : null;
  }
}
