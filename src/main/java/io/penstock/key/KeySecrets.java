package io.penstock.key;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * Creates and checks secrets of keys: {@code psk_}, 256 random bits as 43 digits of base 62, and 6
 * more digits with the CRC-32 of all text before them. The prefix is for people and scanners; the
 * checksum spares them false alarms.
 */
public final class KeySecrets {
  /** Pattern of all secrets created here, for scanners. */
  public static final String PATTERN = "psk_[0-9A-Za-z]{49}";

  private static final String PREFIX = "psk_";
  private static final int RANDOM_BYTES = 32;
  private static final int RANDOM_DIGITS = 43;
  private static final int CHECK_DIGITS = 6;
  private static final int CHECKED = PREFIX.length() + RANDOM_DIGITS;
  private static final Pattern SHAPE = Pattern.compile(PATTERN);
  private static final String DIGITS =
      "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());
  private static final SecureRandom RANDOM = new SecureRandom();

  private KeySecrets() {}

  /** Returns a new secret. */
  public static String make() {
    byte[] random = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(random);
    return of(random);
  }

  static String of(byte[] random) {
    String checked = PREFIX + digits(new BigInteger(1, random), RANDOM_DIGITS);
    return checked + checksum(checked);
  }

  /**
   * Returns whether {@code text} has the form of a secret created here, with a correct checksum.
   */
  public static boolean looksLikeKey(String text) {
    return SHAPE.matcher(text).matches() && text.endsWith(checksum(text.substring(0, CHECKED)));
  }

  /** Returns the SHA-256 of the UTF-8 bytes of a secret, as 64 lower-case hexadecimal digits. */
  public static String sha256(String secret) {
    byte[] digest = digest().digest(secret.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  private static String checksum(String text) {
    CRC32 crc = new CRC32();
    crc.update(text.getBytes(StandardCharsets.US_ASCII));
    return digits(BigInteger.valueOf(crc.getValue()), CHECK_DIGITS);
  }

  private static String digits(BigInteger value, int count) {
    char[] text = new char[count];
    BigInteger rest = value;
    for (int at = count - 1; at >= 0; at--) {
      BigInteger[] parts = rest.divideAndRemainder(BASE);
      text[at] = DIGITS.charAt(parts[1].intValue());
      rest = parts[0];
    }
    return new String(text);
  }
}
