package io.penstock.endpoint;

import java.nio.charset.StandardCharsets;

/**
 * A path in the normal form of RFC 3986 §6.2.2: one slash between segments and none at the end,
 * unreserved characters plain, everything else that needs it in upper-case percent form. Route
 * files and requests are read in the same way, so that no spelling of a path can bypass its
 * endpoint.
 */
public sealed interface NormalPath {
  /** Punctuation that needs no percent form. */
  String MARKS = "-._~!$&'()*+,;=:@";

  /** A path that has a normal form. */
  record Good(String path) implements NormalPath {}

  /**
   * A path without a normal form; {@code problem} is the second half of a sentence that begins with
   * the path.
   */
  record Bad(String problem) implements NormalPath {}

  /** Returns the normal form of {@code text}, in one pass. */
  static NormalPath of(String text) {
    if (!text.startsWith("/")) {
      return new Bad("expected a slash first");
    }
    return plain(text) ? new Good(text) : written(text);
  }

  /**
   * Returns whether a path is surely in normal form already, as nearly all are; false is no proof
   * that it is not.
   */
  private static boolean plain(String text) {
    char before = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean fits = c == '/' ? before != '/' : alphanumeric(c) || MARKS.indexOf(c) >= 0;
      if (!fits || (c == '.' && before == '/')) {
        return false;
      }
      before = c;
    }
    return before != '/' || text.length() == 1;
  }

  private static NormalPath written(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < bytes.length; i++) {
      int b = bytes[i] & 0xff;
      if (b == '%') {
        int escaped = escaped(bytes, i);
        if (escaped < 0x20 || escaped == 0x7f || escaped == '\\') {
          return new Bad("which has a bad % escape, expected two hex digits of a character");
        }
        append(path, escaped, unreserved(escaped));
        i += 2;
      } else if (b == '/') {
        if (path.isEmpty() || path.charAt(path.length() - 1) != '/') {
          path.append('/');
        }
      } else if (b == '?' || b == '#') {
        return new Bad("which has a query or a fragment, expected a path alone");
      } else if (b < 0x80 && !alphanumeric(b) && MARKS.indexOf(b) < 0) {
        return new Bad("which has a character that a path cannot have, expected it in % form");
      } else {
        append(path, b, b < 0x80);
      }
    }
    return finish(path);
  }

  private static NormalPath finish(StringBuilder path) {
    if (path.length() > 1 && path.charAt(path.length() - 1) == '/') {
      path.setLength(path.length() - 1);
    }
    for (String segment : path.substring(1).split("/", -1)) {
      if (segment.equals(".") || segment.equals("..")) {
        return new Bad("which has a segment of dots, expected the path they lead to");
      }
    }
    return new Good(path.toString());
  }

  /** Returns the byte that the escape at {@code at} stands for, or -1. */
  private static int escaped(byte[] bytes, int at) {
    if (at + 2 >= bytes.length) {
      return -1;
    }
    int high = Character.digit(bytes[at + 1], 16);
    int low = Character.digit(bytes[at + 2], 16);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }

  private static void append(StringBuilder path, int b, boolean plain) {
    if (plain) {
      path.append((char) b);
    } else {
      path.append('%')
          .append(Character.toUpperCase(Character.forDigit(b >> 4, 16)))
          .append(Character.toUpperCase(Character.forDigit(b & 15, 16)));
    }
  }

  private static boolean unreserved(int b) {
    return alphanumeric(b) || b == '-' || b == '.' || b == '_' || b == '~';
  }

  private static boolean alphanumeric(int b) {
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9');
  }
}
