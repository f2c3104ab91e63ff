package io.penstock.gateway.body;

import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;

/** Thrown when a streamed body breaks a rule that could not be checked when it began. */
public final class BadUpload extends RuntimeException {
  /** Refusal of a request with a body that came too slowly. */
  public static final Refusal LATE =
      Refusal.of(RefusalReason.BODY_TIMEOUT, "the body did not come to its end in time");

  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  private BadUpload(Refusal refusal) {
    super(refusal.detail(), null, false, false);
    this.refusal = refusal;
  }

  /** Returns the failure of a body that is larger than {@code mostBytes}. */
  public static BadUpload tooLarge(long mostBytes) {
    return new BadUpload(refusal(mostBytes));
  }

  /** Returns the failure of a body that came too slowly. */
  static BadUpload late() {
    return new BadUpload(LATE);
  }

  public Refusal refusal() {
    return refusal;
  }

  /** Returns the refusal of a body that is larger than {@code mostBytes}. */
  public static Refusal refusal(long mostBytes) {
    return Refusal.of(
        RefusalReason.BODY_TOO_LARGE, "the body is larger than " + mostBytes + " bytes");
  }
}
