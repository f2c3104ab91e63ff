package io.penstock.mock;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/** Growing buffer for the bytes of an answer. Not thread-safe. */
final class MockBytes {
  private byte[] bytes;
  private int size;

  MockBytes(int expectedSize) {
    bytes = new byte[expectedSize];
  }

  MockBytes put(byte[] more) {
    return put(more, 0, more.length);
  }

  MockBytes put(byte[] more, int offset, int length) {
    if (bytes.length - size < length) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(size, length), bytes.length * 2));
    }
    System.arraycopy(more, offset, bytes, size, length);
    size += length;
    return this;
  }

  MockBytes put(String more) {
    return put(more.getBytes(UTF_8));
  }

  MockBytes put(long number) {
    return put(Long.toString(number));
  }

  byte[] toArray() {
    return size == bytes.length ? bytes : Arrays.copyOf(bytes, size);
  }
}
