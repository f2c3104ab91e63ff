package io.penstock.sync;

import org.jspecify.annotations.Nullable;

/**
 * Certificates for encrypted connections to Redis, as files.
 *
 * @param ca PEM of those who sign the server's certificate; null is whom the platform trusts
 * @param certificate PEM of the own one, or null
 * @param key PEM of its key; there if and only if the certificate is
 */
public record RedisTrust(@Nullable String ca, @Nullable String certificate, @Nullable String key) {
  public RedisTrust {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException(
          "penstock.redis.tls.cert and penstock.redis.tls.key belong together, expected both");
    }
  }
}
