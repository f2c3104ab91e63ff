package io.penstock.provider.answer;

import java.nio.ByteBuffer;

/**
 * Tells by a few bytes whether a piece of an answer may state an error, so that ordinary answers
 * need not be parsed to find out. It looks only at names and short texts of JSON that end there,
 * and at names of events.
 */
public final class ErrorHint {
  private static final String[] NAMES = {
    "error", "errors", "base_resp", "code", "success", "failed", "insufficient_system_resource"
  };
  private static final String NULL = "null";

  private ErrorHint() {}

  /** Returns whether bytes may state an error; does not consume them. */
  public static boolean isIn(ByteBuffer bytes) {
    int limit = bytes.limit();
    for (int i = bytes.position(); i < limit; i++) {
      byte each = bytes.get(i);
      boolean ends = each == '"' || each == '\n' || each == '\r' || each == ':';
      if (ends && endsName(bytes, i, each) && !(each == '"' && isNull(bytes, i + 1))) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether one of the names ends before {@code end}, where {@code by} is. */
  private static boolean endsName(ByteBuffer bytes, int end, byte by) {
    if (end - bytes.position() < 4) {
      return false;
    }
    return switch (bytes.get(end - 1) | 0x20) {
      case 'r', 's', 'p', 'e', 'd' -> endsAny(bytes, end, by);
      default -> false;
    };
  }

  private static boolean endsAny(ByteBuffer bytes, int end, byte by) {
    for (String name : NAMES) {
      if (ends(bytes, end, name) && isName(bytes, end - name.length(), by)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a name, or the last word of one, begins there. */
  private static boolean isName(ByteBuffer bytes, int at, byte by) {
    byte before = at == bytes.position() ? (byte) '\n' : bytes.get(at - 1);
    return switch (before) {
      case '"', '_', '.' -> true;
      case '\n', '\r', ' ', ':' -> by != '"';
      default -> false;
    };
  }

  private static boolean ends(ByteBuffer bytes, int end, String name) {
    int at = end - name.length();
    if (at < bytes.position()) {
      return false;
    }
    for (int i = name.length() - 1; i >= 0; i--) {
      byte each = bytes.get(at + i);
      if ((each | 0x20) != name.charAt(i) && each != name.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns whether a colon and null come next. */
  private static boolean isNull(ByteBuffer bytes, int at) {
    int i = at;
    while (i < bytes.limit() && (bytes.get(i) == ' ' || bytes.get(i) == ':')) {
      i++;
    }
    if (i == at || i + NULL.length() > bytes.limit()) {
      return false;
    }
    for (int of = 0; of < NULL.length(); of++) {
      if (bytes.get(i + of) != NULL.charAt(of)) {
        return false;
      }
    }
    return true;
  }
}
