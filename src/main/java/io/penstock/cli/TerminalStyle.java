package io.penstock.cli;

import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * Capabilities of a terminal: whether it shows colours, and more than ASCII. Also sanitizes all
 * text from elsewhere, because others choose names.
 */
record TerminalStyle(boolean unicode, boolean colour) {
  private static final int BLUE = 75;
  private static final int GREEN = 2;
  private static final int RED = 1;
  private static final int YELLOW = 3;
  private static final int ORANGE = 208;
  private static final int MAGENTA = 5;
  private static final int CYAN = 6;
  private static final int GREY = 244;
  private static final String EIGHTHS = " ▏▎▍▌▋▊▉█";

  /** The meaning of a piece of the screen, from which its style follows. */
  enum Tone {
    PLAIN,
    SOFT,
    STRONG,
    FRESH,
    GOOD,
    FAIR,
    LATE,
    BAD,
    NEWS,
    ODD
  }

  AttributedStyle style(Tone tone) {
    AttributedStyle plain = AttributedStyle.DEFAULT;
    if (!colour) {
      return tone == Tone.STRONG || tone == Tone.BAD ? plain.bold() : plain;
    }
    return switch (tone) {
      case PLAIN -> plain;
      case SOFT -> plain.foreground(GREY);
      case STRONG -> plain.bold();
      case FRESH -> plain.foreground(BLUE);
      case GOOD -> plain.foreground(GREEN);
      case FAIR -> plain.foreground(YELLOW);
      case LATE -> plain.foreground(ORANGE);
      case BAD -> plain.foreground(RED).bold();
      case NEWS -> plain.foreground(CYAN);
      case ODD -> plain.foreground(MAGENTA);
    };
  }

  /** Returns the mark of a waiting ticket; without colours its shape tells the ticket's age. */
  String dot(Tone age) {
    if (colour) {
      return unicode ? "●" : "o";
    }
    return switch (age) {
      case FRESH -> unicode ? "∙" : ".";
      case GOOD -> unicode ? "◦" : ":";
      case FAIR -> unicode ? "○" : "o";
      case LATE -> unicode ? "◎" : "O";
      case BAD -> unicode ? "●" : "@";
      default -> unicode ? "◌" : "?";
    };
  }

  String more() {
    return unicode ? "…" : "+";
  }

  /** Returns a heavy line: the terminal library draws light ones with another character set. */
  String rule() {
    return unicode ? "━" : "-";
  }

  String branch(boolean last) {
    if (unicode) {
      return last ? "┗ " : "┣ ";
    }
    return last ? "` " : "| ";
  }

  String trunk(boolean last) {
    if (last) {
      return "  ";
    }
    return unicode ? "┃ " : "| ";
  }

  /** Returns the style of a utilization. It is the same for all: a full quota is no fault. */
  AttributedStyle use() {
    return style(Tone.GOOD);
  }

  /** Returns a bar of {@code columns}, filled to the fraction {@code part} from 0 to 1. */
  String bar(double part, int columns) {
    double full = Double.isNaN(part) ? 0 : Math.max(0, Math.min(1, part));
    StringBuilder bar = new StringBuilder();
    int eighths = (int) Math.round(full * columns * 8);
    if (!unicode) {
      eighths = Math.ceilDiv(eighths, 8) * 8;
    }
    for (int at = 0; at < columns; at++) {
      int of = Math.max(0, Math.min(8, eighths - at * 8));
      bar.append(unicode ? EIGHTHS.charAt(of) : of == 8 ? '#' : '.');
    }
    return bar.toString();
  }

  /**
   * Returns {@code text} with a mark in place of each character that is not plainly visible, such
   * as control characters and direction marks, truncated to {@code most} characters.
   */
  String harmless(String text, int most) {
    StringBuilder shown = new StringBuilder();
    int count = 0;
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      at += Character.charCount(point);
      if (++count > most) {
        return shown
            .delete(shown.length() - lastLength(shown), shown.length())
            .append(more())
            .toString();
      }
      shown.append(plain(point) ? Character.toString(point) : unicode ? "\uFFFD" : "?");
    }
    return shown.toString();
  }

  private static int lastLength(StringBuilder text) {
    return text.isEmpty() ? 0 : Character.charCount(text.codePointBefore(text.length()));
  }

  private boolean plain(int point) {
    if (point < 0x80) {
      return point >= ' ' && point != 0x7f;
    }
    return unicode
        && switch (Character.getType(point)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.SURROGATE,
              Character.PRIVATE_USE,
              Character.UNASSIGNED,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR,
              Character.NON_SPACING_MARK,
              Character.ENCLOSING_MARK ->
              false;
          default -> true;
        };
  }

  /** Appends {@code text}, sanitized, in exactly the given number of columns. */
  void cell(AttributedStringBuilder line, String text, int columns, AttributedStyle style) {
    TerminalCells.left(line, harmless(text, columns), columns, more(), style);
  }
}
