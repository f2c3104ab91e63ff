package io.penstock.gateway.forward;

import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.penstock.gateway.request.UsageTap;
import java.nio.ByteBuffer;

/**
 * Shows the text messages of an upstream to the usage tap while their frames pass. Belongs to the
 * event loop of the request.
 */
final class SessionTap {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private final UsageTap usageTap;
  private boolean text;

  SessionTap(UsageTap usageTap) {
    this.usageTap = usageTap;
    usageTap.sessionBegins();
  }

  /** Handles a frame, without taking it over. */
  void passes(WebSocketFrame frame) {
    if (frame instanceof TextWebSocketFrame || frame instanceof BinaryWebSocketFrame) {
      text = frame instanceof TextWebSocketFrame;
    } else if (!(frame instanceof ContinuationWebSocketFrame)) {
      return; // a frame about the connection may come between those of a message
    }
    if (!text) {
      return;
    }
    for (ByteBuffer each : frame.content().nioBuffers()) {
      usageTap.messagePasses(each, false);
    }
    if (frame.isFinalFragment()) {
      usageTap.messagePasses(NOTHING.duplicate(), true);
    }
  }
}
