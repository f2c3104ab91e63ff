package io.penstock.refusal;

import java.util.OptionalLong;

/**
 * Refusal of a request: it will not be served.
 *
 * @param reason the reason
 * @param detail one sentence for a person, without secrets and without content of the request
 * @param retryAfterNanos the time after which the same request would be served if nothing else
 *     happened, or {@link #UNKNOWN}
 * @param retryUseless whether sending the same request again soon cannot help
 */
public record Refusal(
    RefusalReason reason, String detail, long retryAfterNanos, boolean retryUseless) {
  /** No time is known at which trying again would help. */
  public static final long UNKNOWN = -1;

  private static final long SECOND = 1_000_000_000L;

  /** The time that is advised where none is known, in nanoseconds. */
  public static final long DEFAULT_RETRY_NANOS = SECOND;

  /** The longest time that is soon: a day that ends within it does not make a retry useless. */
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

  /** Creates a refusal for which the reason, and the time if it is known, say what a retry does. */
  public Refusal(RefusalReason reason, String detail, long retryAfterNanos) {
    this(
        reason,
        detail,
        retryAfterNanos,
        reason.retryUseless() && (retryAfterNanos == UNKNOWN || retryAfterNanos > SOON));
  }

  /** Returns a refusal for which no better time is known. */
  public static Refusal of(RefusalReason refusalReason, String detail) {
    return new Refusal(refusalReason, detail, UNKNOWN);
  }

  /**
   * Returns the refusal of a request because the provider refuses the gateway's account, which only
   * an operator can change.
   *
   * @param said what the provider says, fit for clients
   */
  public static Refusal ofAccount(String said) {
    return of(
            RefusalReason.UPSTREAM_ACCOUNT,
            "the provider refuses the account with which the gateway asks it: " + said)
        .withoutRetry();
  }

  /**
   * Returns whether something is used up until a known time that is too far away to wait for it, so
   * that clients had better stop and tell that time.
   */
  public boolean usedUp() {
    return retryUseless && retryAfterNanos != UNKNOWN;
  }

  /** Returns this refusal with another time after which the request would be served. */
  public Refusal retryAfter(long nanos) {
    return new Refusal(reason, detail, nanos, retryUseless);
  }

  /**
   * Returns this refusal with the information that only a change by an operator helps: no time is
   * advised, and clients are told not to try again by themselves.
   */
  public Refusal withoutRetry() {
    return new Refusal(reason, detail, UNKNOWN, true);
  }

  /**
   * Returns whether the answer carries advice on when to try again: on 429 and 503, unless a retry
   * is useless and no time is known.
   */
  public boolean advisesRetry() {
    int status = reason.status();
    return (status == 429 || status == 503)
        && reason != RefusalReason.COST_EXCEEDS_CAPACITY
        && !(retryUseless && retryAfterNanos == UNKNOWN);
  }

  /**
   * Returns the advice in milliseconds, rounded up, ≥ 1; a second where no time is known, and empty
   * where none is given.
   */
  public OptionalLong retryAfterMillis() {
    if (!advisesRetry()) {
      return OptionalLong.empty();
    }
    long nanos = retryAfterNanos == UNKNOWN ? DEFAULT_RETRY_NANOS : retryAfterNanos;
    return OptionalLong.of(Math.max(1, Math.ceilDiv(nanos, 1_000_000L)));
  }
}
