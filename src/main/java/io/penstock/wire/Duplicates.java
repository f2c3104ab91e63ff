package io.penstock.wire;

import java.nio.ByteBuffer;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;

/** Buffers that share bytes, each with its own position and its own claim on them. */
public final class Duplicates {
  private Duplicates() {}

  public static DataBuffer of(DataBuffer buffer, DataBufferFactory factory) {
    if (buffer instanceof NettyDataBuffer netty
        && factory instanceof NettyDataBufferFactory netties) {
      return netties.wrap(netty.getNativeBuffer().retainedDuplicate());
    }
    byte[] bytes = new byte[buffer.readableByteCount()];
    buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(bytes), 0, bytes.length);
    return factory.wrap(bytes);
  }
}
