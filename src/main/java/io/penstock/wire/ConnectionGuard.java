package io.penstock.wire;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
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
import io.netty.util.AttributeKey;
import io.penstock.cost.Dialect;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.Speech;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Mono;
import reactor.netty.Connection;
import reactor.netty.NettyPipeline;
import reactor.netty.http.server.HttpServer;

/**
 * Stands right behind the codec of a connection. What is not HTTP never becomes a request, and is
 * refused by the codec: here that refusal gets what every refusal has. What breaks in the middle of
 * a body is remembered, because to its reader it looks like the body's end. And who speaks HTTP/1.0
 * gets no chunks.
 */
@SuppressWarnings("FutureReturnValueIgnored")
public // whoever wrote has the promise
final class ConnectionGuard extends ChannelDuplexHandler {
  private static final AttributeKey<Boolean> BROKEN =
      AttributeKey.valueOf(ConnectionGuard.class, "broken");
  private static final String NAME = "penstock.guard";
  private static final Refusal UNREADABLE =
      Refusal.of(Reason.BAD_REQUEST, "the request is not one that HTTP allows, or is too long");

  private final boolean refuses;
  private boolean knowsChunks = true;
  private boolean closes;
  private boolean answered;
  private boolean sending;
  private boolean closing;
  private int unanswered;

  /** Leaves refusals as they are, where that is said; the port of operators has its own. */
  ConnectionGuard(boolean refuses) {
    this.refuses = refuses;
  }

  /** Has a guard at every connection of a server. */
  public static HttpServer guard(HttpServer server, Connections connections) {
    return server.doOnChannelInit(
        (observer, channel, address) -> {
          connections.opened(channel);
          add(channel, true);
        });
  }

  /** Has a guard at every connection of the operators' server. */
  static HttpServer guardOperators(HttpServer server) {
    return server.doOnChannelInit((observer, channel, address) -> add(channel, false));
  }

  private static void add(Channel channel, boolean refuses) {
    if (channel.pipeline().get(NettyPipeline.HttpCodec) != null) {
      channel.pipeline().addAfter(NettyPipeline.HttpCodec, NAME, new ConnectionGuard(refuses));
    }
  }

  /** Returns the connection a request came on. */
  public static Channel channel(ServerHttpRequest request) {
    Connection connection = ServerHttpRequestDecorator.getNativeRequest(request);
    return connection.channel();
  }

  /** Returns whether something came that was not HTTP; then the client has its answer already. */
  public static boolean broken(ServerHttpRequest request) {
    return channel(request).hasAttr(BROKEN);
  }

  /** Returns whether there is still somebody to answer. */
  public static boolean alive(ServerHttpRequest request) {
    return channel(request).isActive();
  }

  /**
   * Ends an answer that cannot be completed, so that its reader sees that it is not complete: what
   * was written still goes, then the connection is closed.
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

  /** Whether it has had answers, and no request that has none yet; asked on its event loop. */
  boolean rests() {
    return answered && unanswered == 0;
  }

  /** Has it be closed after the answer that runs, whose head said nothing of that. */
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
      sending = true; // where it ends nobody knows
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

  /** Who has its answer and still sends is not cut off, or it might never see that answer. */
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

  /** An answer of one piece is head and end at once. */
  private ChannelPromise last(Object message, ChannelPromise promise) {
    boolean ends = message instanceof LastHttpContent && !goesOn(message);
    return closes && ends ? close(promise) : promise;
  }

  /** Whether it only says that the answer is to come, as 100 does. */
  private static boolean goesOn(Object message) {
    return message instanceof HttpResponse response
        && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
  }

  /** Without chunks it is the end of the connection that ends the answer. */
  private static ChannelPromise close(ChannelPromise promise) {
    return promise.unvoid().addListener(ChannelFutureListener.CLOSE);
  }

  /** A refusal that the gateway did not write, as the gateway would have written it. */
  private static HttpResponse whole(HttpResponse response) {
    if (response.status().code() < 400 || response.headers().contains(Names.REQUEST_ID)) {
      return response;
    }
    String requestId = RequestIds.next();
    response.headers().set(Names.REQUEST_ID, requestId);
    if (response.status().code() >= 500) {
      return response;
    }
    response.headers().set(Names.REASON, UNREADABLE.reason().code());
    if (!(response instanceof FullHttpResponse bare) || bare.content().isReadable()) {
      return response;
    }
    RefusalBody body = Speech.of(Dialect.NONE).refusalBody(UNREADABLE, requestId);
    bare.release();
    FullHttpResponse full = bare.replace(Unpooled.wrappedBuffer(body.bytes()));
    full.headers().set(HttpHeaderNames.CONTENT_TYPE, body.contentType());
    full.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.bytes().length);
    return full;
  }
}
