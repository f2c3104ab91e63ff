package io.penstock.prefix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Hash of 64 bits over bytes that arrive in pieces: XXH64 with the seed 0. The result does not
 * depend on where the pieces are cut. It reads 32 bytes at a time in four independent lanes, so
 * that it costs little beside a parser. Not thread-safe, and not cryptographic.
 *
 * <p>Source: Y. Collet, "xxHash fast digest algorithm", specification, XXH64.
 */
public final class ContentHash {
  private static final long PRIME_1 = 0x9E37_79B1_85EB_CA87L;
  private static final long PRIME_2 = 0xC2B2_AE3D_27D4_EB4FL;
  private static final long PRIME_3 = 0x1656_67B1_9E37_79F9L;
  private static final long PRIME_4 = 0x85EB_CA77_C2B2_AE63L;
  private static final long PRIME_5 = 0x27D4_EB2F_1656_67C5L;

  /** The sum of the first two primes, modulo 2⁶⁴. */
  private static final long LANE_1_START = 0x60EA_27EE_ADC0_B5D6L;

  /** The negative of the first prime, modulo 2⁶⁴. */
  private static final long LANE_4_START = 0x61C8_864E_7A14_3579L;

  private static final int STRIPE_BYTES = 4 * Long.BYTES;

  // Handles are compiled into the loop wherever it stands, other than the methods of a buffer, and
  // do not care about the kind and order of the buffer.
  private static final VarHandle BUFFER_LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private final byte[] rest = new byte[STRIPE_BYTES];
  private int restBytes;
  private long length;
  private long lane1;
  private long lane2;
  private long lane3;
  private long lane4;

  public ContentHash() {
    restart();
  }

  /** Forgets the bytes so far. */
  public void restart() {
    restBytes = 0;
    length = 0;
    lane2 = PRIME_2;
    lane1 = LANE_1_START;
    lane3 = 0;
    lane4 = LANE_4_START;
  }

  /** Takes the state of another hash. */
  public void copy(ContentHash other) {
    System.arraycopy(other.rest, 0, rest, 0, other.restBytes);
    restBytes = other.restBytes;
    length = other.length;
    lane1 = other.lane1;
    lane2 = other.lane2;
    lane3 = other.lane3;
    lane4 = other.lane4;
  }

  /** Returns the number of bytes so far. */
  public long length() {
    return length;
  }

  /** Adds bytes. */
  public void add(byte[] bytes) {
    add(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  /** Adds the bytes of {@code buffer} from one index to another; its position and order stay. */
  public void add(ByteBuffer buffer, int from, int to) {
    length += to - from;
    int at = from;
    if (restBytes > 0) {
      at = Math.min(to, from + STRIPE_BYTES - restBytes);
      keep(buffer, from, at);
      if (restBytes < STRIPE_BYTES) {
        return;
      }
      addRest();
    }
    long a = lane1;
    long b = lane2;
    long c = lane3;
    long d = lane4;
    for (; to - at >= STRIPE_BYTES; at += STRIPE_BYTES) {
      a = round(a, (long) BUFFER_LONGS.get(buffer, at));
      b = round(b, (long) BUFFER_LONGS.get(buffer, at + Long.BYTES));
      c = round(c, (long) BUFFER_LONGS.get(buffer, at + 2 * Long.BYTES));
      d = round(d, (long) BUFFER_LONGS.get(buffer, at + 3 * Long.BYTES));
    }
    lane1 = a;
    lane2 = b;
    lane3 = c;
    lane4 = d;
    keep(buffer, at, to);
  }

  private void addRest() {
    lane1 = round(lane1, (long) LONGS.get(rest, 0));
    lane2 = round(lane2, (long) LONGS.get(rest, Long.BYTES));
    lane3 = round(lane3, (long) LONGS.get(rest, 2 * Long.BYTES));
    lane4 = round(lane4, (long) LONGS.get(rest, 3 * Long.BYTES));
    restBytes = 0;
  }

  private void keep(ByteBuffer buffer, int from, int to) {
    int into = restBytes;
    restBytes += to - from;
    if (to - from < Long.BYTES) {
      for (int at = from; at < to; at++) {
        rest[into++] = buffer.get(at);
      }
      return;
    }
    for (int at = from; to - at > Long.BYTES; at += Long.BYTES) {
      LONGS.set(rest, into, (long) BUFFER_LONGS.get(buffer, at));
      into += Long.BYTES;
    }
    // the last word may overlap the one before
    LONGS.set(rest, restBytes - Long.BYTES, (long) BUFFER_LONGS.get(buffer, to - Long.BYTES));
  }

  private static long round(long lane, long word) {
    return Long.rotateLeft(lane + word * PRIME_2, 31) * PRIME_1;
  }

  /** Returns the hash of all bytes so far; more can be added afterwards. */
  public long value() {
    long hash = length < STRIPE_BYTES ? PRIME_5 : lanes();
    hash += length;
    int at = 0;
    for (; restBytes - at >= Long.BYTES; at += Long.BYTES) {
      hash ^= round(0, (long) LONGS.get(rest, at));
      hash = Long.rotateLeft(hash, 27) * PRIME_1 + PRIME_4;
    }
    if (restBytes - at >= Integer.BYTES) {
      hash ^= ((int) INTS.get(rest, at) & 0xFFFF_FFFFL) * PRIME_1;
      hash = Long.rotateLeft(hash, 23) * PRIME_2 + PRIME_3;
      at += Integer.BYTES;
    }
    for (; at < restBytes; at++) {
      hash ^= (rest[at] & 0xFF) * PRIME_5;
      hash = Long.rotateLeft(hash, 11) * PRIME_1;
    }
    return finish(hash);
  }

  private long lanes() {
    long hash =
        Long.rotateLeft(lane1, 1)
            + Long.rotateLeft(lane2, 7)
            + Long.rotateLeft(lane3, 12)
            + Long.rotateLeft(lane4, 18);
    return merge(merge(merge(merge(hash, lane1), lane2), lane3), lane4);
  }

  private static long merge(long hash, long lane) {
    return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
  }

  /** Returns a hash of two hashes in their order. */
  static long of(long first, long second) {
    return finish((first ^ round(0, second)) * PRIME_1 + PRIME_4);
  }

  private static long finish(long hash) {
    long mixed = (hash ^ hash >>> 33) * PRIME_2;
    mixed = (mixed ^ mixed >>> 29) * PRIME_3;
    return mixed ^ mixed >>> 32;
  }
}
