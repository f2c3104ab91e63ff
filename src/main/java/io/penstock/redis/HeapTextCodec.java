package io.penstock.redis;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.redisson.client.codec.StringCodec;
import org.redisson.client.protocol.Encoder;

/**
 * Codec of text that needs no buffer of a pool. Redisson forgets the arguments of a script that it
 * cannot send, for example because there is no connection; a pooled buffer would be lost then.
 */
final class HeapTextCodec extends StringCodec {
  static final HeapTextCodec INSTANCE = new HeapTextCodec();

  private static final Encoder TEXT =
      text -> Unpooled.wrappedBuffer(text.toString().getBytes(StandardCharsets.UTF_8));

  private HeapTextCodec() {}

  @Override
  public Encoder getValueEncoder() {
    return TEXT;
  }
}
