package io.penstock.provider.answer;

import java.nio.ByteBuffer;

/**
 * Skips the header of a gzip member, which may arrive in any pieces. Source: RFC 1952, section 2.3.
 */
public final class GzipHead {
  private static final int[] MAGIC = {0x1F, 0x8B, 8};
  private static final int FIXED_BYTES = 10;
  private static final int FLAGS_AT = 3;

  // the optional parts, in this order
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int CHECK = 2;

  private int at;
  private int flags;
  private int skip;
  private int lengthBytes;
  private int extra;

  /** Resets the state for another member. */
  public void restart() {
    at = 0;
    flags = 0;
    skip = 0;
    lengthBytes = 0;
  }

  /** Returns whether no byte has been read yet. */
  boolean untouched() {
    return at == 0;
  }

  /** Returns whether the header is complete. */
  public boolean complete() {
    return at >= FIXED_BYTES && flags == 0 && skip == 0;
  }

  /** Consumes the bytes that belong to the header; returns false if they are not a gzip header. */
  public boolean read(ByteBuffer bytes) {
    while (bytes.hasRemaining() && !complete()) {
      int b = bytes.get() & 0xFF;
      if (at < FIXED_BYTES) {
        if (at < MAGIC.length && b != MAGIC[at]) {
          return false;
        }
        flags = at == FLAGS_AT ? b & (EXTRA | NAME | COMMENT | CHECK) : flags;
        at++;
      } else if (skip > 0) {
        skip--;
      } else {
        part(b);
      }
    }
    return true;
  }

  private void part(int b) {
    if ((flags & EXTRA) != 0) {
      // two bytes give the number of following bytes, the low byte first
      skip = lengthBytes == 0 ? 0 : b << 8 | extra;
      extra = b;
      lengthBytes++;
      flags &= lengthBytes == 2 ? ~EXTRA : ~0;
    } else if ((flags & NAME) != 0) {
      flags &= b == 0 ? ~NAME : ~0;
    } else if ((flags & COMMENT) != 0) {
      flags &= b == 0 ? ~COMMENT : ~0;
    } else {
      flags = 0;
      skip = 1;
    }
  }
}
