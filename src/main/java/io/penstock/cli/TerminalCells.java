package io.penstock.cli;

import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Lays out text in columns of a line; some characters take two columns. */
final class TerminalCells {
  private TerminalCells() {}

  /** Appends text aligned to the left, truncated if it is too long and padded with spaces. */
  static void left(
      AttributedStringBuilder line, String text, int columns, String more, AttributedStyle style) {
    String fit = fit(text, columns, more);
    line.append(fit, style).append(" ".repeat(columns - width(fit)), style);
  }

  /** Appends text aligned to the right, padded with spaces. */
  static void right(AttributedStringBuilder line, String text, int columns, AttributedStyle style) {
    String fit = fit(text, columns, "");
    line.append(" ".repeat(columns - width(fit)), style).append(fit, style);
  }

  /** Returns {@code text}, or its beginning followed by {@code more} if it is too wide. */
  static String fit(String text, int columns, String more) {
    AttributedString all = new AttributedString(text);
    if (columns <= 0) {
      return "";
    }
    if (all.columnLength() <= columns) {
      return text;
    }
    return all.columnSubSequence(0, columns - more.length()) + more;
  }

  /** Returns the number of columns that a text takes. */
  static int width(String text) {
    return new AttributedString(text).columnLength();
  }
}
