package io.penstock.wire;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the ids of requests. Safe from any thread.
 *
 * <p>A client without a key proves by an id that a request is its own, so no client may guess the
 * ids of others. An id is the beginning of the SHA-256 digest of a secret and a counter: unlike a
 * secure source of random numbers, it never blocks once it was created.
 */
public final class RequestIds {
  private static final Pattern TAKEN = Pattern.compile("[\\x21-\\x7e]{1,128}");
  private static final int SECRET_BYTES = 32;

  private final byte[] secret = new byte[SECRET_BYTES];
  private final AtomicLong counter = new AtomicLong();

  public RequestIds() {
    new SecureRandom().nextBytes(secret);
  }

  /** Returns the id that a client gave, or a new one if it would not fit a header or a log line. */
  public String of(@Nullable String given) {
    return given != null && TAKEN.matcher(given).matches() ? given : next();
  }

  /** Returns a new id. */
  String next() {
    ByteBuffer input = ByteBuffer.allocate(SECRET_BYTES + Long.BYTES);
    input.put(secret).putLong(counter.getAndIncrement());
    ByteBuffer digest = ByteBuffer.wrap(sha256().digest(input.array()));
    return new UUID(digest.getLong(), digest.getLong()).toString();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }
}
