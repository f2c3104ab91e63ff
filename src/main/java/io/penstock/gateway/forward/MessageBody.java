package io.penstock.gateway.forward;

import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.penstock.json.JsonWalk;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/**
 * The frames of one message as the body of a request. They are read from the client as the body's
 * reader asks for them; what nobody reads is dropped. Belongs to the event loop of the client.
 */
final class MessageBody {
  private final NettyDataBufferFactory factory;
  private final Runnable nextFrame;
  private final Types types = new Types();
  private final JsonWalk walk = JsonWalk.ofAnswer(types);
  private @Nullable WebSocketFrame held;
  private @Nullable FluxSink<DataBuffer> reader;
  private long wanted;
  private boolean whole;
  private boolean left;

  /**
   * Creates the body of a message that begins.
   *
   * @param nextFrame asks the client for its next frame
   */
  MessageBody(WebSocketFrame first, NettyDataBufferFactory factory, Runnable nextFrame) {
    this.factory = factory;
    this.nextFrame = nextFrame;
    this.held = first;
    this.whole = first.isFinalFragment();
  }

  /** Returns whether its last frame has come. */
  boolean whole() {
    return whole;
  }

  /** Returns whether all types that the message states are that of a call. */
  boolean creates() {
    return types.creates && !types.other;
  }

  /** Returns the body, which can be read once. */
  Flux<DataBuffer> read() {
    return Flux.<DataBuffer>create(this::begin)
        .doOnDiscard(DataBuffer.class, DataBufferUtils::release);
  }

  private void begin(FluxSink<DataBuffer> to) {
    reader = to;
    to.onRequest(this::serve);
    to.onCancel(this::leave);
  }

  private void serve(long more) {
    wanted = Math.min(wanted + more, Integer.MAX_VALUE);
    WebSocketFrame first = held;
    if (first != null) {
      held = null;
      pass(first);
    } else if (!whole && !left) {
      nextFrame.run();
    }
  }

  /** Handles another frame of the message, and takes it over. */
  void comes(WebSocketFrame frame) {
    whole = frame.isFinalFragment();
    if (left) {
      frame.release();
      if (!whole) {
        nextFrame.run();
      }
    } else {
      pass(frame);
    }
  }

  private void pass(WebSocketFrame frame) {
    FluxSink<DataBuffer> to = reader;
    if (to == null) {
      frame.release();
      return;
    }
    boolean last = frame.isFinalFragment();
    wanted--;
    for (var each : frame.content().nioBuffers()) {
      walk.feed(each);
    }
    to.next(factory.wrap(frame.content()));
    if (last) {
      to.complete();
    } else if (wanted > 0 && !left) {
      nextFrame.run();
    }
  }

  /** Notes that nobody reads what is still to come. */
  void leave() {
    if (left) {
      return;
    }
    left = true;
    WebSocketFrame first = held;
    held = null;
    if (first != null) {
      first.release();
    }
    if (!whole) {
      nextFrame.run();
    }
  }

  /** Finds the types that a message states at its top. */
  private static final class Types implements JsonWalk.Visitor {
    private boolean creates;
    private boolean other;

    @Override
    public void open(JsonWalk at, boolean array) {
      other |= isType(at);
    }

    @Override
    public void close(JsonWalk at) {}

    @Override
    public void scalar(JsonWalk at) {
      if (isType(at)) {
        boolean create =
            at.isString()
                && at.isAtMost(MessageType.CREATE.length())
                && at.text().equals(MessageType.CREATE);
        creates |= create;
        other |= !create;
      }
    }

    private static boolean isType(JsonWalk at) {
      return at.depth() == 1 && "type".equals(at.name());
    }
  }
}
