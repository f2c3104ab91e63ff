package io.penstock.gateway.body;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/** Compression of a request body, as its {@code Content-Encoding} names it. */
public enum BodyEncoding {
  /** The body is not compressed. */
  IDENTITY,
  /** Gzip, in one or more members. */
  GZIP,
  /** Deflate, framed by zlib as the standard demands, or bare as some clients send it. */
  DEFLATE;

  /** The encodings that are read, as the value of {@code Accept-Encoding}. */
  public static final String ACCEPTED = "gzip, deflate";

  /** Returns the encoding of a request body; null if the gateway cannot read it. */
  public static @Nullable BodyEncoding of(HttpHeaders headers) {
    List<String> encodings = headers.getOrEmpty(HttpHeaders.CONTENT_ENCODING);
    if (encodings.isEmpty()) {
      return IDENTITY;
    }
    String only = encodings.size() == 1 ? encodings.getFirst().strip() : "several";
    return switch (only.toLowerCase(Locale.ROOT)) {
      case "", "identity" -> IDENTITY;
      case "gzip", "x-gzip" -> GZIP;
      case "deflate" -> DEFLATE;
      default -> null;
    };
  }

  /** Returns a reader of a body with this encoding; null if it needs none. */
  @Nullable BodyInflation inflation() {
    return this == IDENTITY ? null : new BodyInflation(this == GZIP);
  }
}
