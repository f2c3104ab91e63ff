package io.penstock.redis;

import org.jspecify.annotations.Nullable;

/**
 * Certificates for encrypted connections to Redis, as files.
 *
 * @param ca PEM of the authorities that sign the server's certificate; null for those of the
 *     platform
 * @param certificate PEM of the client certificate, or null
 * @param key PEM of its key; present if and only if the certificate is
 */
public record RedisTrust(@Nullable String ca, @Nullable String certificate, @Nullable String key) {
  public RedisTrust {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException(
          "penstock.redis.tls.cert and penstock.redis.tls.key belong together, expected both");
    }
  }
}
