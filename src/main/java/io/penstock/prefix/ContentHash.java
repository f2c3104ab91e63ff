package io.penstock.prefix;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Hash of 64 bits over bytes that arrive in pieces: SipHash-2-4, whose results nobody can choose or
 * foresee without its key. The result does not depend on where the pieces are cut. Other than the
 * hashes of libraries, it has a value after each piece, goes on from there, and takes the state of
 * another one. Not thread-safe.
 *
 * <p>Source: J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF", 2012.
 */
public final class ContentHash {
  private static final long START_0 = 0x736f_6d65_7073_6575L;
  private static final long START_1 = 0x646f_7261_6e64_6f6dL;
  private static final long START_2 = 0x6c79_6765_6e65_7261L;
  private static final long START_3 = 0x7465_6462_7974_6573L;

  /** The number that marks the end of the bytes. */
  private static final long FINISH = 0xff;

  private static final int LENGTH_SHIFT = 56;

  // A handle is compiled into the loop wherever it stands, other than the methods of a buffer, and
  // does not care about the order of the buffer.
  private static final VarHandle LONGS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final HashKey key;
  private long v0;
  private long v1;
  private long v2;
  private long v3;
  private long length;

  /** The bytes behind the last whole word, the first of them in the lowest eight bits. */
  private long rest;

  /** Creates a hash of no bytes. */
  public ContentHash(HashKey key) {
    this.key = key;
    restart();
  }

  /** Forgets the bytes so far. */
  public void restart() {
    v0 = key.first() ^ START_0;
    v1 = key.second() ^ START_1;
    v2 = key.first() ^ START_2;
    v3 = key.second() ^ START_3;
    length = 0;
    rest = 0;
  }

  /** Takes the state of another hash with the same key. */
  public void copy(ContentHash other) {
    v0 = other.v0;
    v1 = other.v1;
    v2 = other.v2;
    v3 = other.v3;
    length = other.length;
    rest = other.rest;
  }

  /** Returns the number of bytes so far. */
  public long length() {
    return length;
  }

  /** Adds bytes; slower than from a direct buffer. */
  public void add(byte[] bytes) {
    for (byte each : bytes) {
      addByte(each);
    }
  }

  private void addByte(byte each) {
    rest |= (each & 0xFFL) << restBits();
    length++;
    if (length % Long.BYTES == 0) {
      addWord(rest);
      rest = 0;
    }
  }

  private int restBits() {
    return (int) (length % Long.BYTES) * Byte.SIZE;
  }

  /** Adds the bytes of {@code buffer} from one index to another; its position and order stay. */
  public void add(ByteBuffer buffer, int from, int to) {
    // a loop that has seen two kinds of buffers is several times slower for both, and those of
    // connections are direct
    int at = buffer.isDirect() ? addWords(buffer, from, to) : from;
    for (; at < to; at++) {
      addByte(buffer.get(at));
    }
  }

  /**
   * Adds as many words as there are, each with the rest of the one before; returns their end. It
   * does the same as {@link #addWord}, with a state in local variables: in fields it would be
   * written for each word.
   */
  private int addWords(ByteBuffer buffer, int from, int to) {
    int restBits = restBits();
    long a = v0;
    long b = v1;
    long c = v2;
    long d = v3;
    long before = rest;
    int at = from;
    for (; to - at >= Long.BYTES; at += Long.BYTES) {
      long next = (long) LONGS.get(buffer, at);
      long word = next << restBits | before;
      before = restBits == 0 ? 0 : next >>> -restBits;
      d ^= word;
      for (int round = 0; round < 2; round++) {
        a += b;
        c += d;
        b = Long.rotateLeft(b, 13) ^ a;
        d = Long.rotateLeft(d, 16) ^ c;
        a = Long.rotateLeft(a, 32);
        c += b;
        a += d;
        b = Long.rotateLeft(b, 17) ^ c;
        d = Long.rotateLeft(d, 21) ^ a;
        c = Long.rotateLeft(c, 32);
      }
      a ^= word;
    }
    v0 = a;
    v1 = b;
    v2 = c;
    v3 = d;
    rest = before;
    length += at - from;
    return at;
  }

  private void addWord(long word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }

  private void round() {
    v0 += v1;
    v2 += v3;
    v1 = Long.rotateLeft(v1, 13) ^ v0;
    v3 = Long.rotateLeft(v3, 16) ^ v2;
    v0 = Long.rotateLeft(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = Long.rotateLeft(v1, 17) ^ v2;
    v3 = Long.rotateLeft(v3, 21) ^ v0;
    v2 = Long.rotateLeft(v2, 32);
  }

  /** Returns the hash of all bytes so far; more can be added afterwards. */
  public long value() {
    long a = v0;
    long b = v1;
    long c = v2;
    long d = v3;
    addWord(rest | length << LENGTH_SHIFT);
    v2 ^= FINISH;
    round();
    round();
    round();
    round();
    long value = v0 ^ v1 ^ v2 ^ v3;
    v0 = a;
    v1 = b;
    v2 = c;
    v3 = d;
    return value;
  }

  /** Returns a hash of two hashes in their order; forgets the bytes so far. */
  long of(long first, long second) {
    restart();
    addWord(first);
    addWord(second);
    length = 2 * Long.BYTES;
    return value();
  }
}
