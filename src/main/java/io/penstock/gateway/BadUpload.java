package io.penstock.gateway;

import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;

/** What the client sends is not what it may send, which was not known when it began. */
final class BadUpload extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient Refusal refusal;

  private BadUpload(Refusal refusal) {
    super(refusal.detail(), null, false, false);
    this.refusal = refusal;
  }

  /** It is larger than {@code mostBytes}. */
  static BadUpload tooLarge(long mostBytes) {
    return new BadUpload(refusal(mostBytes));
  }

  /** It came too slowly. */
  static BadUpload late() {
    return new BadUpload(WeighFilter.LATE);
  }

  Refusal refusal() {
    return refusal;
  }

  /** Returns what is told whose upload is larger than {@code mostBytes}. */
  static Refusal refusal(long mostBytes) {
    return Refusal.of(Reason.BODY_TOO_LARGE, "the body is larger than " + mostBytes + " bytes");
  }
}
