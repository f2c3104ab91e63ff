package io.penstock.coordination;

import java.nio.charset.StandardCharsets;

/**
 * Rule by which the memory of objects is counted, here and in Redis. Redis needs most of it for its
 * own records, and stores names and keys of permits several times; measured, an object takes less
 * than this.
 */
public final class ObjectFootprint {
  private static final long OBJECT_BYTES = 1_024;
  private static final long COPIES_OF_NAME = 10;

  /** Bytes of a waiting client or of a held permit, beside its key. */
  private static final long TURN_BYTES = 256;

  private static final long COPIES_OF_KEY = 2;

  /** Shorter keys count like this, so that an object seldom grows because of another key. */
  private static final long SHORT_KEY_BYTES = 40;

  private ObjectFootprint() {}

  /** Returns the bytes of an object without any content. */
  public static long empty(String name) {
    return OBJECT_BYTES + COPIES_OF_NAME * length(name);
  }

  /** Returns the bytes of one waiting client or held permit. */
  static long turn(long keyBytes) {
    return TURN_BYTES + COPIES_OF_KEY * Math.max(SHORT_KEY_BYTES, keyBytes);
  }

  /** Returns the bytes of a message, which Redis rounds up. */
  static long message(String message) {
    return length(message) * 5 / 4;
  }

  /** Returns the bytes of a text in UTF-8. */
  static long length(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
