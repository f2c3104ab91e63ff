package io.penstock.cli;

import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Puts text into a number of columns of a line; some characters take two. */
final class Cells {
  private Cells() {}

  /** Appends text from the left, cut where it is too long, and spaces after it. */
  static void left(
      AttributedStringBuilder line, String text, int columns, String more, AttributedStyle style) {
    String fit = fit(text, columns, more);
    line.append(fit, style).append(" ".repeat(columns - width(fit)), style);
  }

  /** Appends text to the right, and spaces before it. */
  static void right(AttributedStringBuilder line, String text, int columns, AttributedStyle style) {
    String fit = fit(text, columns, "");
    line.append(" ".repeat(columns - width(fit)), style).append(fit, style);
  }

  /** Returns {@code text}, or its beginning and {@code more} where it is wider than that. */
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

  /** Returns how many columns it takes. */
  static int width(String text) {
    return new AttributedString(text).columnLength();
  }
}
