package io.penstock.json;

import java.nio.ByteBuffer;
import tools.jackson.core.JsonToken;

/**
 * Detects an object or array that ends directly after a comma or colon when both are in different
 * pieces of the input. The parser rejects this within one piece, but accepts it when the input is
 * cut after the separator.
 */
final class CutSeparator {
  /** Whether the last byte so far, without white space, is a comma or colon. */
  private boolean separator;

  private boolean ends;

  /** Examines the next piece, which is not empty, before it is parsed. */
  void look(ByteBuffer bytes) {
    int first = bytes.position();
    int last = bytes.limit() - 1;
    while (first < last && isSpace(bytes.get(first))) {
      first++;
    }
    while (last > first && isSpace(bytes.get(last))) {
      last--;
    }
    ends = separator && (bytes.get(first) == '}' || bytes.get(first) == ']');
    byte end = bytes.get(last);
    separator = isSpace(end) ? separator : end == ',' || end == ':';
  }

  private static boolean isSpace(byte each) {
    return each == ' ' || each == '\n' || each == '\r' || each == '\t';
  }

  /**
   * Returns whether a token is such a forbidden end. It must be called for each token: only the
   * first one of a piece can be forbidden, and if the piece begins inside a string, none is.
   */
  boolean forbids(JsonToken token) {
    boolean forbidden = ends && (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY);
    ends = false;
    return forbidden;
  }

  /** Forgets the pieces so far. */
  void restart() {
    separator = false;
    ends = false;
  }
}
