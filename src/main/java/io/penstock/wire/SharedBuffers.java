package io.penstock.wire;

import java.nio.ByteBuffer;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;

/**
 * Creates buffers that share their bytes with another, but have a position and a reference count of
 * their own.
 */
public final class SharedBuffers {
  private SharedBuffers() {}

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
