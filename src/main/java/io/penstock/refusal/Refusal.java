package io.penstock.refusal;

import java.util.OptionalLong;

/**
 * Refusal of a request: it will not be served.
 *
 * @param reason the reason
 * @param detail one sentence for a person, without secrets and without content of the request
 * @param retryAfterNanos the time after which the limit that caused it would have room, or {@link
 *     #UNKNOWN}
 */
public record Refusal(RefusalReason reason, String detail, long retryAfterNanos) {
  /** No time is known at which trying again would help. */
  public static final long UNKNOWN = -1;

  private static final long SECOND = 1_000_000_000L;
  private static final long SOON = 60 * SECOND;

  public Refusal {
    if (detail.isBlank()) {
      throw new IllegalArgumentException("detail is blank, expected one sentence");
    }
    if (retryAfterNanos < UNKNOWN) {
      throw new IllegalArgumentException(
          "retryAfterNanos is " + retryAfterNanos + ", expected 0 or more, or UNKNOWN");
    }
  }

  /** Returns a refusal for which no better time is known. */
  public static Refusal of(RefusalReason refusalReason, String detail) {
    return new Refusal(refusalReason, detail, UNKNOWN);
  }

  /** Returns whether the answer carries advice on when to try again: on 429 and 503, mostly. */
  public boolean advisesRetry() {
    int status = reason.status();
    return (status == 429 || status == 503) && reason != RefusalReason.COST_EXCEEDS_CAPACITY;
  }

  /** Returns the advice in milliseconds, rounded up, ≥ 1; empty where none is given. */
  public OptionalLong retryAfterMillis() {
    if (!advisesRetry()) {
      return OptionalLong.empty();
    }
    long nanos = retryAfterNanos == UNKNOWN ? SECOND : retryAfterNanos;
    return OptionalLong.of(Math.max(1, Math.ceilDiv(nanos, 1_000_000L)));
  }

  /** Returns the advice in whole seconds, rounded up, ≥ 1; empty where none is given. */
  public OptionalLong retryAfterSeconds() {
    OptionalLong millis = retryAfterMillis();
    return millis.isEmpty()
        ? millis
        : OptionalLong.of(Math.max(1, Math.ceilDiv(millis.getAsLong(), 1_000L)));
  }

  /** Returns whether a client should be told not to try again by itself. */
  public boolean retryUseless() {
    return reason.retryUseless() || retryAfterNanos > SOON;
  }
}
