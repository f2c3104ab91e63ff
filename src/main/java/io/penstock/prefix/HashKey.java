package io.penstock.prefix;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/**
 * Secret key of the hashes by which beginnings of prompts are told apart: who does not know it can
 * make no two prompts with one hash. Its text form does not show it. Immutable.
 *
 * @param first the first half of its 128 bits
 * @param second the second half
 */
public record HashKey(long first, long second) {
  /** A random key of this process, for hashes that are compared with no others. */
  public static final HashKey OF_PROCESS = random();

  private static final byte[] END = {0};

  /** Returns the key that follows from a secret text; the same in every instance. */
  public static HashKey of(String secret) {
    ByteBuffer digest = ByteBuffer.wrap(sha256(secret));
    return new HashKey(digest.getLong(), digest.getLong());
  }

  /** Returns a random key. */
  public static HashKey random() {
    SecureRandom random = new SecureRandom();
    return new HashKey(random.nextLong(), random.nextLong());
  }

  /** Returns the key of one tenant, from which nothing follows about those of others. */
  HashKey ofTenant(String name) {
    ContentHash hash = new ContentHash(this);
    hash.add(name.getBytes(StandardCharsets.UTF_8));
    long half = hash.value();
    hash.add(END);
    return new HashKey(half, hash.value());
  }

  private static byte[] sha256(String secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  @Override
  public String toString() {
    return "***";
  }
}
