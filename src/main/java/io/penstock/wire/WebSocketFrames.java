package io.penstock.wire;

import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.netty.NettyInbound;
import reactor.netty.http.websocket.WebsocketInbound;

/**
 * Passes the frames of a WebSocket on as they are requested. A receiver that cancels, because its
 * own connection is gone, does not close this one, as that would be without a close status; frames
 * that still come are dropped.
 */
public final class WebSocketFrames extends BaseSubscriber<Object> {
  private final FluxSink<WebSocketFrame> sink;

  private WebSocketFrames(FluxSink<WebSocketFrame> sink) {
    this.sink = sink;
  }

  /** Returns the frames that come from one side; their receiver must release them. */
  public static Flux<WebSocketFrame> of(WebsocketInbound from) {
    return Flux.<WebSocketFrame>create(
            sink -> ((NettyInbound) from).receiveObject().subscribe(new WebSocketFrames(sink)))
        .doOnDiscard(WebSocketFrame.class, ReferenceCountUtil::release);
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    sink.onRequest(this::request);
    sink.onCancel(() -> request(Long.MAX_VALUE));
  }

  @Override
  protected void hookOnNext(Object message) {
    if (!(message instanceof WebSocketFrame frame)) {
      request(1);
    } else if (!sink.isCancelled()) {
      sink.next(frame.retain());
    }
  }

  @Override
  protected void hookOnComplete() {
    sink.complete();
  }

  @Override
  protected void hookOnError(Throwable broken) {
    sink.error(broken);
  }
}
