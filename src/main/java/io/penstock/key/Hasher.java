package io.penstock.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.DigestException;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/**
 * Finds keys by their secrets: one for each thread that asks. The bytes of a secret are made anew
 * each time: the platform's own copy costs a tenth of a loop over its characters.
 */
final class Hasher {
  /** No secret is longer, in characters: who sends more is nobody, and costs nothing. */
  static final int LONGEST = 4_096;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final ThreadLocal<Hasher> OF_THREAD = ThreadLocal.withInitial(Hasher::new);

  private final MessageDigest digest = Secrets.digest();
  private final byte[] hash = new byte[32];

  private Hasher() {}

  /** Returns who has a secret, or null when it is nobody's at that instant. */
  static @Nullable Caller find(KeyIndex index, String secret, long unixMillis, Accounts accounts) {
    return secret.length() > LONGEST
        ? null
        : OF_THREAD.get().look(index, secret, unixMillis, accounts);
  }

  private @Nullable Caller look(KeyIndex index, String secret, long unixMillis, Accounts accounts) {
    try {
      digest.update(secret.getBytes(StandardCharsets.UTF_8));
      digest.digest(hash, 0, hash.length);
    } catch (DigestException impossible) {
      throw new IllegalStateException("a SHA-256 has 32 bytes", impossible);
    }
    return index.find(word(0), word(8), unixMillis, accounts);
  }

  private long word(int at) {
    return (long) LONG.get(hash, at);
  }
}
