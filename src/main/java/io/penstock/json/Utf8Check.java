package io.penstock.json;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Checks that bytes are valid UTF-8 as they arrive, cut anywhere. Overlong forms, halves of
 * surrogate pairs and code points beyond Unicode are not valid. It is an automaton with one state
 * for each way in which a character can go on. Source of the ranges: RFC 3629, section 4.
 */
final class Utf8Check {
  private static final long NOT_ASCII = 0x8080_8080_8080_8080L;

  private static final int BOUNDARY = 0;
  private static final int ONE_LEFT = 1;
  private static final int TWO_LEFT = 2;
  private static final int THREE_LEFT = 3;
  private static final int AFTER_E0 = 4;
  private static final int AFTER_ED = 5;
  private static final int AFTER_F0 = 6;
  private static final int AFTER_F4 = 7;
  private static final int BAD = 8;

  /** The next state, by state × 256 + byte. */
  private static final byte[] NEXT = table();

  private int state = BOUNDARY;

  private static byte[] table() {
    byte[] next = new byte[BAD << 8];
    Arrays.fill(next, (byte) BAD);
    range(next, BOUNDARY, 0x00, 0x7F, BOUNDARY);
    range(next, BOUNDARY, 0xC2, 0xDF, ONE_LEFT);
    range(next, BOUNDARY, 0xE0, 0xE0, AFTER_E0);
    range(next, BOUNDARY, 0xE1, 0xEC, TWO_LEFT);
    range(next, BOUNDARY, 0xED, 0xED, AFTER_ED);
    range(next, BOUNDARY, 0xEE, 0xEF, TWO_LEFT);
    range(next, BOUNDARY, 0xF0, 0xF0, AFTER_F0);
    range(next, BOUNDARY, 0xF1, 0xF3, THREE_LEFT);
    range(next, BOUNDARY, 0xF4, 0xF4, AFTER_F4);
    range(next, ONE_LEFT, 0x80, 0xBF, BOUNDARY);
    range(next, TWO_LEFT, 0x80, 0xBF, ONE_LEFT);
    range(next, THREE_LEFT, 0x80, 0xBF, TWO_LEFT);
    range(next, AFTER_E0, 0xA0, 0xBF, ONE_LEFT);
    range(next, AFTER_ED, 0x80, 0x9F, ONE_LEFT);
    range(next, AFTER_F0, 0x90, 0xBF, TWO_LEFT);
    range(next, AFTER_F4, 0x80, 0x8F, TWO_LEFT);
    return next;
  }

  private static void range(byte[] next, int from, int least, int most, int to) {
    Arrays.fill(next, (from << 8) + least, (from << 8) + most + 1, (byte) to);
  }

  /**
   * Checks the remaining bytes without consuming them.
   *
   * @return the position of the first byte that is not valid, or −1 if all are
   */
  int firstFault(ByteBuffer bytes) {
    int limit = bytes.limit();
    int at = bytes.position();
    int now = state;
    while (at < limit) {
      int next = bytes.get(at);
      if (now == BOUNDARY && next >= 0) {
        at = afterAscii(bytes, at + 1, limit);
      } else {
        now = NEXT[(now << 8) + (next & 0xFF)];
        if (now == BAD) {
          return at;
        }
        at++;
      }
    }
    state = now;
    return -1;
  }

  /** Returns the position after as many whole words of ASCII characters as there are. */
  private static int afterAscii(ByteBuffer bytes, int from, int limit) {
    int at = from;
    while (limit - at >= Long.BYTES && (bytes.getLong(at) & NOT_ASCII) == 0) {
      at += Long.BYTES;
    }
    return at;
  }

  /** Forgets the bytes so far. */
  void restart() {
    state = BOUNDARY;
  }
}
