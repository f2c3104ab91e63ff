package io.penstock.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import java.util.Arrays;

/**
 * Finds keys by their secrets without making anything: one for each thread that asks. What it had
 * of a secret is gone when it is done.
 */
final class Hasher {
  /** No secret is longer, in characters: who sends more is nobody, and costs nothing. */
  static final int LONGEST = 4_096;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final ThreadLocal<Hasher> OF_THREAD = ThreadLocal.withInitial(Hasher::new);

  private final MessageDigest digest = Secrets.digest();
  private final byte[] hash = new byte[32];
  private final byte[] ascii = new byte[256];

  private Hasher() {}

  /** Returns where a secret is in the index; below 0 when it is nobody's at that instant. */
  static int find(KeyIndex index, String secret, long unixMillis) {
    return secret.length() > LONGEST ? -1 : OF_THREAD.get().look(index, secret, unixMillis);
  }

  private int look(KeyIndex index, String secret, long unixMillis) {
    try {
      int length = secret.length();
      if (encode(secret)) {
        digest.update(ascii, 0, length);
        Arrays.fill(ascii, 0, length, (byte) 0);
      } else {
        digest.update(secret.getBytes(StandardCharsets.UTF_8));
      }
      digest.digest(hash, 0, hash.length);
    } catch (DigestException impossible) {
      throw new IllegalStateException("a SHA-256 has 32 bytes", impossible);
    }
    return index.find(word(0), word(8), word(16), word(24), unixMillis);
  }

  /** Returns whether it is short and plain, as those made here are, and now in {@link #ascii}. */
  private boolean encode(String secret) {
    int length = secret.length();
    if (length > ascii.length) {
      return false;
    }
    int all = 0;
    for (int at = 0; at < length; at++) {
      char next = secret.charAt(at);
      all |= next;
      ascii[at] = (byte) next;
    }
    return all < 0x80;
  }

  private long word(int at) {
    return (long) LONG.get(hash, at);
  }
}
