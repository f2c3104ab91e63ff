package io.penstock.json;

import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Writer that counts the UTF-8 bytes of the characters written to it, and keeps none of them
 * itself.
 */
public final class Utf8Counter extends Writer {
  private KeptText.@Nullable Part copy;
  private boolean counts = true;
  private long bytes;

  /**
   * Sets where all further characters are copied to, null for nowhere, and whether they are
   * counted.
   */
  void begin(KeptText.@Nullable Part part, boolean counted) {
    copy = part;
    counts = counted;
  }

  /** Returns the bytes counted since the last call. */
  long take() {
    long counted = bytes;
    bytes = 0;
    return counted;
  }

  /** Returns the UTF-8 bytes of {@code text}. */
  public static long bytes(CharSequence text) {
    long sum = 0;
    for (int i = 0; i < text.length(); i++) {
      sum += width(text.charAt(i));
    }
    return sum;
  }

  /** Returns the bytes of a character; each half of a surrogate pair counts two, together four. */
  private static int width(char c) {
    if (c < 0x80) {
      return 1;
    }
    return c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
  }

  /** Returns whether all are ASCII; without branches, so that it takes many at a time. */
  private static boolean isAscii(char[] chars, int offset, int length) {
    int all = 0;
    for (int i = offset; i < offset + length; i++) {
      all |= chars[i];
    }
    return all < 0x80;
  }

  private static long width(char[] chars, int offset, int length) {
    long sum = 0;
    for (int i = offset; i < offset + length; i++) {
      sum += width(chars[i]);
    }
    return sum;
  }

  @Override
  public void write(char[] chars, int offset, int length) {
    if (counts) {
      bytes += isAscii(chars, offset, length) ? length : width(chars, offset, length);
    }
    if (copy != null) {
      copy.append(chars, offset, length);
    }
  }

  @Override
  public void write(String text, int offset, int length) {
    for (int i = offset; counts && i < offset + length; i++) {
      bytes += width(text.charAt(i));
    }
    if (copy != null) {
      copy.append(text.substring(offset, offset + length));
    }
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
