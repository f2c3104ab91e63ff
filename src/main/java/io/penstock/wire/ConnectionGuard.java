package io.penstock.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResultProvider;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.util.AttributeKey;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;
import reactor.netty.http.server.HttpServerState;

/**
 * Handler right behind the codec of a client's connection. Input that is not HTTP never becomes a
 * request, but is refused by the codec: this handler completes that refusal with the headers and
 * body that every refusal has. It remembers that a connection broke in the middle of a body,
 * because to the body's reader this looks like the end. And it sends no chunks to an HTTP/1.0
 * client.
 */
@SuppressWarnings("FutureReturnValueIgnored")
public // the writer has the promise
final class ConnectionGuard extends ChannelDuplexHandler {
  private static final AttributeKey<Boolean> BROKEN =
      AttributeKey.valueOf(ConnectionGuard.class, "broken");
  private static final String NAME = "penstock.guard";

  /** The send buffer of one connection of an operator, in bytes; the kernel doubles it. */
  private static final int OPERATOR_SEND_BYTES = 131_072;

  private static final RequestIds REQUEST_IDS = new RequestIds();
  private static final Refusal UNREADABLE =
      Refusal.of(
          RefusalReason.BAD_REQUEST, "the request is not one that HTTP allows, or is too long");

  private final boolean refuses;
  private boolean knowsChunks = true;
  private boolean closes;
  private boolean answered;
  private boolean sending;
  private boolean closing;
  private int unanswered;

  /**
   * Creates a guard.
   *
   * @param refuses whether to complete refusals of the codec; not so at the operator port, which
   *     has refusals of its own
   */
  ConnectionGuard(boolean refuses) {
    this.refuses = refuses;
  }

  /** Adds a guard to every connection of a server. */
  public static HttpServer guard(
      HttpServer server, ClientConnections connections, Http2Faults faults) {
    return server
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, ReadTurns.ONE_READ)
        .doOnChannelInit(
            (observer, channel, address) -> {
              connections.opened(channel);
              add(channel, true);
              BodyUpgrades.install(channel);
              faults.install(channel);
            })
        .childObserve(
            (connection, state) -> {
              if (state == HttpServerState.REQUEST_RECEIVED
                  && connection.channel() instanceof Http2StreamChannel stream) {
                connections.watch(stream); // the callback above is not called for streams
              }
            });
  }

  /**
   * Adds a guard to every connection of the operators' server, and bounds what the kernel keeps for
   * a reader of events that does not read: by itself it would keep megabytes for each.
   */
  static HttpServer guardOperators(HttpServer server) {
    return server
        .childOption(ChannelOption.SO_SNDBUF, OPERATOR_SEND_BYTES)
        .doOnChannelInit((observer, channel, address) -> add(channel, false));
  }

  private static void add(Channel channel, boolean refuses) {
    if (channel.pipeline().get(NettyPipeline.HttpCodec) != null) {
      channel.pipeline().addAfter(NettyPipeline.HttpCodec, NAME, new ConnectionGuard(refuses));
    }
  }

  /** Returns the connection that a request came on. */
  public static Channel channel(ServerHttpRequest request) {
    Connection connection = ServerHttpRequestDecorator.getNativeRequest(request);
    return connection.channel();
  }

  /**
   * Returns whether a body that seems to be at its end may have broken off instead: something came
   * that was not HTTP, in which case the client has its answer already, or the connection is gone.
   * The HTTP server forgets the connection of a request that it has answered itself, so such a
   * request cannot tell which of the two it was.
   */
  public static boolean broken(ServerHttpRequest request) {
    Channel channel = channel(request);
    return channel.hasAttr(BROKEN) || !channel.isActive();
  }

  /** Returns whether the client is still connected. */
  public static boolean alive(ServerHttpRequest request) {
    return channel(request).isActive();
  }

  /**
   * Ends an answer that cannot be completed, in a way that its reader notices: what was written is
   * still sent, then the connection is closed.
   */
  public static Mono<Void> cut(ServerHttpRequest request) {
    return Mono.create(
        sink ->
            channel(request)
                .writeAndFlush(Unpooled.EMPTY_BUFFER)
                .addListener(
                    written -> {
                      channel(request).close();
                      sink.success();
                    }));
  }

  /**
   * Returns whether the connection has had answers, and every request on it was answered. To be
   * called on its event loop.
   */
  boolean rests() {
    return answered && unanswered == 0;
  }

  /** Closes the connection after the current answer, although its head did not announce that. */
  void closeAfterAnswer() {
    closes = true;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (message instanceof HttpRequest request) {
      knowsChunks = !request.protocolVersion().equals(HttpVersion.HTTP_1_0);
      unanswered++;
      sending = true;
    }
    if (message instanceof LastHttpContent) {
      sending = false;
    }
    if (message instanceof DecoderResultProvider decoded && decoded.decoderResult().isFailure()) {
      context.channel().attr(BROKEN).set(true);
      sending = true; // the end of the request is unknown
    }
    context.fireChannelRead(message);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    if (message instanceof LastHttpContent && !goesOn(message)) {
      answered = true;
      unanswered--;
    }
    if (!(message instanceof HttpResponse response)) {
      context.write(message, last(message, promise));
      return;
    }
    if (!knowsChunks && HttpUtil.isTransferEncodingChunked(response)) {
      HttpUtil.setTransferEncodingChunked(response, false);
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      closes = true;
    }
    context.write(refuses ? whole(response) : response, last(message, promise));
  }

  /**
   * Closes the connection, but slowly if a client that has its answer is still sending: if it were
   * cut off, it might never see that answer.
   */
  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) {
    boolean lingers = sending && rests() && !closing && context.channel().isActive();
    closing = true;
    if (lingers) {
      LingeringClose.begin(context, promise);
    } else {
      context.close(promise);
    }
  }

  /**
   * Returns the promise for a message, which closes the connection at the end of the last answer.
   * An answer in one piece is head and end at once.
   */
  private ChannelPromise last(Object message, ChannelPromise promise) {
    boolean ends = message instanceof LastHttpContent && !goesOn(message);
    return closes && ends ? close(promise) : promise;
  }

  /** Returns whether a message only announces that the answer is to come, as status 100 does. */
  private static boolean goesOn(Object message) {
    return message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
  }

  /**
   * Closes the connection at the end of the answer: without chunks only that tells where the answer
   * ends.
   */
  private static ChannelPromise close(ChannelPromise promise) {
    return promise.unvoid().addListener(ChannelFutureListener.CLOSE);
  }

  /** Completes a refusal that the codec wrote, so that it looks like one of the gateway. */
  private static HttpResponse whole(HttpResponse response) {
    if (response.status().code() < 400 || response.headers().contains(HeaderNames.REQUEST_ID)) {
      return response;
    }
    String requestId = REQUEST_IDS.next();
    response.headers().set(HeaderNames.REQUEST_ID, requestId);
    response.headers().set(HeaderNames.CONTENT_TYPE_OPTIONS, HeaderNames.NO_SNIFFING);
    if (response.status().code() >= 500) {
      return response;
    }
    response.headers().set(HeaderNames.REASON, UNREADABLE.reason().code());
    if (!(response instanceof FullHttpResponse bare) || bare.content().isReadable()) {
      return response;
    }
    RefusalBody body = DialectTable.NONE.refusalBody(UNREADABLE, RefusedCall.of(requestId));
    bare.release();
    FullHttpResponse full = bare.replace(Unpooled.wrappedBuffer(body.bytes()));
    full.headers().set(HttpHeaderNames.CONTENT_TYPE, body.contentType());
    full.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.bytes().length);
    return full;
  }
}
