package io.penstock.json;

import java.util.List;

/**
 * One text made of several, which are not copied. They must not change any more. Safe from any
 * thread to which it is handed over.
 */
final class JoinedText implements CharSequence {
  private final List<? extends CharSequence> parts;
  private final int length;

  JoinedText(List<? extends CharSequence> parts) {
    this.parts = parts;
    this.length = parts.stream().mapToInt(CharSequence::length).sum();
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public char charAt(int index) {
    int at = index;
    for (CharSequence part : parts) {
      if (at < part.length()) {
        return part.charAt(at);
      }
      at -= part.length();
    }
    throw new IndexOutOfBoundsException(index);
  }

  /** Returns a copy of a stretch of the text. */
  @Override
  public String subSequence(int from, int to) {
    StringBuilder copy = new StringBuilder(to - from);
    int start = 0;
    for (CharSequence part : parts) {
      int end = start + part.length();
      if (from < end && to > start) {
        copy.append(part, Math.max(from, start) - start, Math.min(to, end) - start);
      }
      start = end;
    }
    return copy.toString();
  }

  @Override
  public String toString() {
    return subSequence(0, length);
  }
}
