package io.penstock.wire;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/** How much of one connection is read before its event loop serves the others. */
final class ReadTurns {
  /**
   * Reads once in a turn, up to 64 KiB. By default Netty reads up to sixteen times, so that a few
   * clients with large bodies would let the others on their event loop wait for several
   * milliseconds at each step of a request.
   */
  static final RecvByteBufAllocator ONE_READ =
      new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1);

  private ReadTurns() {}
}
