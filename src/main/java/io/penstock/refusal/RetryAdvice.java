package io.penstock.refusal;

import java.time.Instant;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Advice to a refused client on trying again.
 *
 * @param afterMillis the milliseconds after which to try again, ≥ 1, at most the cap; empty where
 *     no retry is advised
 * @param afterSeconds the same in whole seconds, rounded up, ≥ 1, at most the cap
 * @param at the true instant, whatever the cap; null when no time is known
 * @param useless whether the client is told not to try again by itself
 */
public record RetryAdvice(
    OptionalLong afterMillis, OptionalLong afterSeconds, @Nullable Instant at, boolean useless) {
  /** Value of a cap that is off. */
  public static final long NO_CAP = 0;

  private static final long MILLIS = 1_000;

  /**
   * Returns the advice of a refusal.
   *
   * @param mostSeconds the longest time that is advised; {@link #NO_CAP} for none
   * @param unixMillis the present time of the wall clock
   */
  public static RetryAdvice of(Refusal refusal, long mostSeconds, long unixMillis) {
    OptionalLong millis = refusal.retryAfterMillis();
    boolean known = millis.isPresent() && refusal.retryAfterNanos() != Refusal.UNKNOWN;
    Instant at = known ? Instant.ofEpochMilli(unixMillis + millis.getAsLong()) : null;
    return capped(refusal, millis, mostSeconds, at);
  }

  /** Returns the advice of a refusal without an instant. */
  public static RetryAdvice withoutInstant(Refusal refusal) {
    return capped(refusal, refusal.retryAfterMillis(), NO_CAP, null);
  }

  private static RetryAdvice capped(
      Refusal refusal, OptionalLong millis, long mostSeconds, @Nullable Instant at) {
    if (millis.isEmpty()) {
      return new RetryAdvice(millis, millis, null, refusal.retryUseless());
    }
    long most = mostSeconds == NO_CAP ? Long.MAX_VALUE : mostSeconds * MILLIS;
    long after = Math.min(millis.getAsLong(), most);
    return new RetryAdvice(
        OptionalLong.of(after),
        OptionalLong.of(Math.ceilDiv(after, MILLIS)),
        at,
        refusal.retryUseless());
  }
}
