package io.penstock.json;

import java.io.Writer;

/** Keeps the first characters that are written to it, and ignores the rest. */
final class TextBeginning extends Writer {
  private final int most;
  private final StringBuilder kept = new StringBuilder();

  TextBeginning(int most) {
    this.most = most;
  }

  String text() {
    return kept.toString();
  }

  @Override
  public void write(char[] from, int at, int length) {
    kept.append(from, at, Math.min(length, most - kept.length()));
  }

  @Override
  public void flush() {}

  @Override
  public void close() {}
}
