package io.penstock.model;

import io.penstock.time.Ticker;
import java.util.Locale;

/**
 * Answer to the question whether a request may go to a model now, with the usage of the model.
 * Nothing is taken for it.
 *
 * @param code the result
 * @param reason the reason in one sentence, for people
 * @param possible whether the request could ever be allowed with the present limits
 * @param allowedAtNanos the instant from which the request is allowed if nothing else happens: that
 *     of the decision when it is allowed; {@link Ticker#NEVER} when none is known
 * @param utilization the highest utilization among the limits of the model, 0 to 1
 * @param stats usage of the model
 */
public record ModelDecision(
    Code code,
    String reason,
    boolean possible,
    long allowedAtNanos,
    double utilization,
    Stats stats) {
  /** Result of a decision. */
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

    /** Returns whether the request may be sent. */
    public boolean allowed() {
      return allowed;
    }

    /** Returns the name that clients see, such as {@code rpm_exceeded}. */
    public String text() {
      return text;
    }
  }

  /**
   * Usage and limits of a model; a limit of 0 means unlimited.
   *
   * @param limits the limits of the model
   * @param rpm requests in the last window
   * @param tpm tokens in the last window, including output reserved for answers that are running
   * @param rpd requests in the running day
   * @param windowStartNanos the instant at which the last window began
   * @param dayStartNanos the instant of the first request of the running day; {@link Ticker#NEVER}
   *     when no day is running
   */
  public record Stats(
      ModelLimits limits, long rpm, long tpm, long rpd, long windowStartNanos, long dayStartNanos) {
    /** Returns the stats of a model without limits and without usage. */
    static Stats none(long windowStartNanos) {
      return new Stats(ModelLimits.NONE, 0, 0, 0, windowStartNanos, Ticker.NEVER);
    }
  }

  /** Returns whether the model may be asked. */
  public boolean allowed() {
    return code.allowed();
  }
}
