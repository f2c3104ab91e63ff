package io.penstock.redis;

import java.io.IOException;
import java.nio.file.Path;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;

/** Reads certificates and keys from PEM files for TLS. */
final class TlsMaterial {
  private TlsMaterial() {}

  /**
   * Returns a factory that trusts the certificates of a file, and no others.
   *
   * @throws IllegalArgumentException when the file cannot be read
   */
  static TrustManagerFactory trusting(String file) {
    try {
      return managers(null, PemSslStore.of(content(file).getCertificates(), null))
          .getTrustManagerFactory();
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          file + " cannot be used, expected a PEM file of certificates", e);
    }
  }

  /**
   * Returns a factory that presents the certificates of a file.
   *
   * @param key file of its key, PKCS #8
   * @throws IllegalArgumentException when a file cannot be read, or they do not fit
   */
  static KeyManagerFactory showing(String file, String key) {
    try {
      return managers(
              PemSslStore.of(content(file).getCertificates(), content(key).getPrivateKey()), null)
          .getKeyManagerFactory();
    } catch (IOException | RuntimeException e) {
      throw new IllegalArgumentException(
          file + " or " + key + " cannot be used, expected PEM files of a certificate and its key",
          e);
    }
  }

  private static PemContent content(String file) throws IOException {
    return PemContent.load(Path.of(file));
  }

  private static SslManagerBundle managers(
      @Nullable PemSslStore shown, @Nullable PemSslStore trusted) {
    return SslManagerBundle.from(new PemSslStoreBundle(shown, trusted), SslBundleKey.NONE);
  }
}
