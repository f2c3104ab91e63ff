package io.penstock.quota;

import io.penstock.time.Ticker;
import java.util.Locale;

/**
 * Whether a model may be asked, and what of it is used: a look, for which nothing was taken.
 *
 * @param code what it comes to
 * @param reason one sentence for a person
 * @param possible whether it would ever be allowed as things are
 * @param opensNanos the instant from which it is allowed if nothing else happens: that of the look
 *     when it is; {@link Ticker#NEVER} when none is known
 * @param utilization the largest of its limits', 0 to 1
 * @param stats what is used
 */
public record Decision(
    Code code, String reason, boolean possible, long opensNanos, double utilization, Stats stats) {
  /** What a decision comes to. */
  public enum Code {
    /** There is room. */
    OK(true),
    /** Nothing is known of the model. */
    UNKNOWN_MODEL(true),
    /** The model has no limit. */
    UNLIMITED(true),
    /** No request has that many tokens. */
    INVALID_TOKENS(false),
    /** The requests of the day are used up. */
    RPD_EXCEEDED(false),
    /** The requests of the minute are used up. */
    RPM_EXCEEDED(false),
    /** The tokens of the minute do not suffice. */
    TPM_EXCEEDED(false);

    private final boolean allowed;
    private final String text;

    Code(boolean allowed) {
      this.allowed = allowed;
      this.text = name().toLowerCase(Locale.ROOT);
    }

    /** Returns whether the model may be asked. */
    public boolean allowed() {
      return allowed;
    }

    /** Returns the name clients see, such as {@code rpm_exceeded}. */
    public String text() {
      return text;
    }
  }

  /**
   * What of a model is used, and may be used; 0 is unlimited.
   *
   * @param limits what it may be asked
   * @param rpm requests in the last window
   * @param tpm tokens in the last window, and those kept free for answers that run
   * @param rpd requests of the running day
   * @param windowStartNanos the instant at which the last window began
   * @param dayStartNanos that of the running day's first request; {@link Ticker#NEVER} when no day
   *     runs
   */
  public record Stats(
      ModelLimits limits, long rpm, long tpm, long rpd, long windowStartNanos, long dayStartNanos) {
    /** Nothing is used of a model that has no limit. */
    static Stats none(long windowStartNanos) {
      return new Stats(ModelLimits.NONE, 0, 0, 0, windowStartNanos, Ticker.NEVER);
    }
  }

  /** Returns whether the model may be asked. */
  public boolean allowed() {
    return code.allowed();
  }
}
