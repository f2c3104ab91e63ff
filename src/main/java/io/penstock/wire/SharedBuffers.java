package io.penstock.wire;

import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;

/** Creates buffers that share their bytes with another buffer. */
public final class SharedBuffers {
  private static final NettyDataBufferFactory FACTORY =
      new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);

  private SharedBuffers() {}

  /** Returns a buffer with a position of its own, to be released in addition to the other. */
  public static DataBuffer of(DataBuffer buffer, DataBufferFactory factory) {
    if (buffer instanceof NettyDataBuffer netty
        && factory instanceof NettyDataBufferFactory netties) {
      return netties.wrap(netty.getNativeBuffer().retainedDuplicate());
    }
    byte[] bytes = new byte[buffer.readableByteCount()];
    buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(bytes), 0, bytes.length);
    return factory.wrap(bytes);
  }

  /**
   * Returns a buffer to be used instead of {@code buffer}, which it takes over, and which it
   * releases once, however often it is released itself.
   *
   * <p>Spring releases an answer in one piece both when its write is cancelled and when it fails.
   * If the client's connection and the upstream's belong to two event loops, both can happen. The
   * second release would take the bytes from another owner, such as the upstream's connection,
   * because the count of references is that of all buffers that share the bytes.
   */
  public static DataBuffer releasedOnce(DataBuffer buffer) {
    return buffer instanceof NettyDataBuffer netty
        ? FACTORY.wrap(
            new CompositeByteBuf(
                UnpooledByteBufAllocator.DEFAULT, true, 1, netty.getNativeBuffer()))
        : buffer;
  }
}
