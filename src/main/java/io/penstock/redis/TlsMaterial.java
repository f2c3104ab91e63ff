package io.penstock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Reads certificates and keys from PEM files for TLS. */
final class TlsMaterial {
  private static final List<String> KEY_KINDS = List.of("RSA", "EC", "EdDSA");

  private TlsMaterial() {}

  /**
   * Returns a factory that trusts the certificates of a file, and no others.
   *
   * @throws IllegalArgumentException when the file cannot be read
   */
  static TrustManagerFactory trusting(String file) {
    try {
      KeyStore trusted = empty();
      Certificate[] certificates = certificates(file);
      for (int i = 0; i < certificates.length; i++) {
        trusted.setCertificateEntry("ca-" + i, certificates[i]);
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(trusted);
      return factory;
    } catch (IOException | GeneralSecurityException e) {
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
      KeyStore own = empty();
      own.setKeyEntry("own", key(key), new char[0], certificates(file));
      KeyManagerFactory factory =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      factory.init(own, new char[0]);
      return factory;
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          file + " or " + key + " cannot be used, expected PEM files of a certificate and its key",
          e);
    }
  }

  private static KeyStore empty() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Certificate[] certificates(String file)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      return CertificateFactory.getInstance("X.509")
          .generateCertificates(in)
          .toArray(Certificate[]::new);
    }
  }

  private static PrivateKey key(String file) throws IOException, GeneralSecurityException {
    String text = Files.readString(Path.of(file));
    String base64 = text.replaceAll("-----(?:BEGIN|END) PRIVATE KEY-----", "");
    PKCS8EncodedKeySpec spec =
        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64.strip()));
    for (String kind : KEY_KINDS) {
      PrivateKey key = keyOrNull(kind, spec);
      if (key != null) {
        return key;
      }
    }
    throw new InvalidKeySpecException("of no known kind");
  }

  private static @Nullable PrivateKey keyOrNull(String kind, PKCS8EncodedKeySpec spec)
      throws GeneralSecurityException {
    try {
      return KeyFactory.getInstance(kind).generatePrivate(spec);
    } catch (InvalidKeySpecException other) {
      return null;
    }
  }
}
