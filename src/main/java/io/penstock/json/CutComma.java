package io.penstock.json;

import java.nio.ByteBuffer;
import tools.jackson.core.JsonToken;

/**
 * Finds the end of an object that follows a comma in another piece: cut there, the parser forgets
 * the comma and lets the object end, which it does not where both are in one piece.
 */
final class CutComma {
  /** Whether the last byte so far, white space aside, is a comma. */
  private boolean comma;

  private boolean ends;

  /** Looks at the next piece, which is not empty, before it is parsed. */
  void look(ByteBuffer bytes) {
    int first = bytes.position();
    int last = bytes.limit() - 1;
    while (first < last && isSpace(bytes.get(first))) {
      first++;
    }
    while (last > first && isSpace(bytes.get(last))) {
      last--;
    }
    ends = comma && (bytes.get(first) == '}' || bytes.get(first) == ']');
    comma = isSpace(bytes.get(last)) ? comma : bytes.get(last) == ',';
  }

  private static boolean isSpace(byte each) {
    return each == ' ' || each == '\n' || each == '\r' || each == '\t';
  }

  /** Whether the next token of a piece is such an end; within a string the first one is none. */
  boolean forbids(JsonToken token) {
    boolean forbidden = ends && (token == JsonToken.END_OBJECT || token == JsonToken.END_ARRAY);
    ends = false;
    return forbidden;
  }

  /** Forgets the pieces so far. */
  void restart() {
    comma = false;
    ends = false;
  }
}
