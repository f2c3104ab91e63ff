package io.penstock.gateway;

import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;

/** What the client sends is larger than it may be, which was not known when it began. */
final class UploadTooLarge extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final long mostBytes;

  UploadTooLarge(long mostBytes) {
    super("the upload is too large", null, false, false);
    this.mostBytes = mostBytes;
  }

  Refusal refusal() {
    return refusal(mostBytes);
  }

  /** Returns what is told whose upload is larger than {@code mostBytes}. */
  static Refusal refusal(long mostBytes) {
    return Refusal.of(Reason.BODY_TOO_LARGE, "the body is larger than " + mostBytes + " bytes");
  }
}
