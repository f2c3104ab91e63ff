package io.penstock.gateway.body;

import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.regex.Pattern;
import org.springframework.http.HttpHeaders;

/** Thrown when a streamed body breaks a rule that could not be checked when it began. */
public final class BadUpload extends RuntimeException {
  /** Refusal of a request with a body that came too slowly. */
  public static final Refusal LATE =
      Refusal.of(RefusalReason.BODY_TIMEOUT, "the body did not come to its end in time");

  /** Refusal of a request with a compressed body that cannot be inflated. */
  public static final Refusal CORRUPT =
      Refusal.of(
          RefusalReason.BAD_REQUEST,
          "the body is not what its content encoding says, or not whole");

  private static final Pattern ENCODING = Pattern.compile("[A-Za-z0-9_, -]{1,40}");
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

  /** Returns the refusal of a body with an encoding that the gateway cannot read. */
  public static Refusal encoded(HttpHeaders headers) {
    String encoding = String.join(", ", headers.getOrEmpty(HttpHeaders.CONTENT_ENCODING));
    String named = ENCODING.matcher(encoding).matches() ? " " + encoding : "";
    return Refusal.of(
        RefusalReason.UNSUPPORTED_ENCODING,
        "a body with the content encoding"
            + named
            + " cannot be read here, expected none or one of: "
            + BodyEncoding.ACCEPTED);
  }

  /** Returns the refusal of a body that is larger than {@code mostBytes}. */
  public static Refusal refusal(long mostBytes) {
    return Refusal.of(
        RefusalReason.BODY_TOO_LARGE, "the body is larger than " + mostBytes + " bytes");
  }
}
