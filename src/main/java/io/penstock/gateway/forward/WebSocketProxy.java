package io.penstock.gateway.forward;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.util.ReferenceCountUtil;
import io.penstock.explain.BindingLimit;
import io.penstock.gateway.request.GatewayHeaders;
import io.penstock.gateway.request.MessageCalls;
import io.penstock.gateway.request.OpenWebSockets;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.RequestLoop;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.key.ApiCaller;
import io.penstock.key.KeyRegistry;
import io.penstock.pool.UpstreamSpec;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import io.penstock.wire.HeaderNames;
import io.penstock.wire.RefusedUpgrade;
import io.penstock.wire.UpstreamConnections;
import io.penstock.wire.WebSocketFrames;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.Disposable;
import reactor.core.Scannable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.netty.Connection;
import reactor.netty.NettyOutbound;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.WebsocketClientSpec;
import reactor.netty.http.server.HttpServerResponse;
import reactor.netty.http.server.WebsocketServerSpec;
import reactor.netty.http.websocket.WebsocketInbound;
import reactor.netty.http.websocket.WebsocketOutbound;
import reactor.netty.resources.LoopResources;

/**
 * Passes WebSockets through, frame by frame. The upstream is asked first, so that an answer other
 * than an upgrade can still be sent to the client. Safe from any thread.
 */
public final class WebSocketProxy {
  private static final String IDLE = "nothing was sent for too long";
  private static final String PROTOCOLS = "sec-websocket-protocol";

  private final UpstreamConnections upstreamConnections;
  private final LoopResources loops;
  private final OpenWebSockets openWebSockets;
  private final long idleNanos;
  private final Ticker ticker;
  private final KeyRegistry keyRegistry;
  private final CallSession.Terms calls;

  /**
   * Creates a proxy.
   *
   * @param idleTimeout how long a WebSocket may pass nothing before it is closed
   * @param calls makes the call that a message is
   */
  public WebSocketProxy(
      UpstreamConnections upstreamConnections,
      LoopResources loops,
      OpenWebSockets openWebSockets,
      Duration idleTimeout,
      KeyRegistry keyRegistry,
      Function<ServerWebExchange, Mono<Void>> calls,
      Ticker ticker) {
    this.upstreamConnections = upstreamConnections;
    this.loops = loops;
    this.openWebSockets = openWebSockets;
    this.idleNanos = idleTimeout.toNanos();
    this.ticker = ticker;
    this.keyRegistry = keyRegistry;
    this.calls = new CallSession.Terms(calls, idleNanos, ticker);
  }

  /**
   * Relays until one side closes, and then completes empty. If the upstream does not become a
   * WebSocket, its answer is returned. Fails with {@link WebSocketsFull} when there are too many.
   *
   * @param exchange the exchange that goes to the upstream
   */
  Mono<UpstreamAnswer> run(
      ServerWebExchange exchange,
      UpstreamSpec spec,
      OutgoingRequest outgoingRequest,
      UpstreamAnswer.Learner learner) {
    Object tenant = RequestContext.of(exchange).body().tenant();
    return Mono.defer(
        () -> {
          Refusal full = openWebSockets.enter(tenant);
          return full == null
              ? admitted(exchange, spec, outgoingRequest, learner)
                  .doFinally(signal -> openWebSockets.leave(tenant))
              : Mono.error(new WebSocketsFull(full));
        });
  }

  private Mono<UpstreamAnswer> admitted(
      ServerWebExchange exchange,
      UpstreamSpec spec,
      OutgoingRequest outgoingRequest,
      UpstreamAnswer.Learner learner) {
    Sinks.Empty<Void> open = Sinks.empty();
    Duration patience = Duration.ofNanos(spec.link().timeouts().firstByteNanos());
    Mono<Void> late =
        Mono.delay(patience)
            .takeUntilOther(open.asMono())
            .flatMap(waited -> Mono.error(ReadTimeoutException.INSTANCE));
    RefusedUpgrade refusedUpgrade = new RefusedUpgrade();
    return RequestContext.of(exchange)
        .held(
            () ->
                open.scanOrDefault(Scannable.Attr.TERMINATED, false)
                    ? null
                    : BindingLimit.connecting(spec.id()),
            Mono.defer(() -> relayed(exchange, spec, outgoingRequest, open, refusedUpgrade)))
        .takeUntilOther(late.then(Mono.never()))
        .then(Mono.<UpstreamAnswer>empty())
        .onErrorResume(
            WebSocketClientHandshakeException.class,
            refusal -> answered(exchange, refusal, refusedUpgrade, learner));
  }

  private Mono<Void> relayed(
      ServerWebExchange exchange,
      UpstreamSpec spec,
      OutgoingRequest outgoingRequest,
      Sinks.Empty<Void> open,
      RefusedUpgrade refusedUpgrade) {
    RequestLoop requestLoop = RequestContext.of(exchange).loop();
    Sinks.Empty<Void> done = Sinks.empty();
    int most = (int) Math.min(Integer.MAX_VALUE, maxFrameBytes(exchange));
    WebsocketClientSpec.Builder client =
        WebsocketClientSpec.builder().maxFramePayloadLength(most).handlePing(!ofCalls(exchange));
    String protocols = String.join(",", outgoingRequest.headers().getAll(PROTOCOLS));
    if (!protocols.isBlank()) {
      client.protocols(protocols);
    }
    try {
      return upstreamConnections
          .unpooled(spec, HttpClient.newConnection().runOn(loops))
          .doOnChannelInit((observer, channel, address) -> refusedUpgrade.install(channel))
          .headers(
              to ->
                  outgoingRequest
                      .headers()
                      .forEach(each -> add(to, each.getKey(), each.getValue())))
          .websocket(client.build())
          .uri(socket(outgoingRequest))
          .handle(
              (in, out) ->
                  requestLoop.begin(
                      Mono.defer(() -> joined(exchange, spec, in, out, most, open, done))))
          // the upstream may have closed first, in which case the client has yet to be closed
          .then(done.asMono());
    } catch (SSLException unreadable) {
      return Mono.error(unreadable);
    }
  }

  private static void add(HttpHeaders to, String name, String value) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (!lower.startsWith("sec-websocket")
        && !lower.equals("host")
        && !lower.equals("upgrade")
        && !lower.equals("connection")
        && !lower.equals("content-length")) {
      to.add(name, value);
    }
  }

  private static URI socket(OutgoingRequest outgoingRequest) {
    return URI.create("ws" + outgoingRequest.target().toString().substring("http".length()));
  }

  private static long maxFrameBytes(ServerWebExchange exchange) {
    return RequestContext.of(exchange).endpoint().spec().reading().maxBodyBytes();
  }

  /** Makes the client's connection a WebSocket too, once the upstream's is one. */
  private Mono<Void> joined(
      ServerWebExchange exchange,
      UpstreamSpec spec,
      WebsocketInbound in,
      WebsocketOutbound out,
      int most,
      Sinks.Empty<Void> open,
      Sinks.Empty<Void> done) {
    open.tryEmitEmpty();
    RequestContext requestContext = RequestContext.of(exchange);
    ServerHttpResponse response = exchange.getResponse();
    GatewayHeaders.write(
        response.getHeaders(), requestContext, Objects.requireNonNull(requestContext.settlement()));
    HttpServerResponse client = ServerHttpResponseDecorator.getNativeResponse(response);
    WebsocketServerSpec.Builder server =
        WebsocketServerSpec.builder().maxFramePayloadLength(most).handlePing(!ofCalls(exchange));
    if (in.selectedSubprotocol() != null) {
      server.protocols(in.selectedSubprotocol());
    }
    AtomicBoolean began = new AtomicBoolean();
    // sendWebsocket completes with the handshake, not with the end of the WebSocket
    return response
        .setComplete()
        .then(
            Mono.defer(
                () ->
                    client.sendWebsocket(
                        (fromClient, toClient) -> {
                          began.set(true);
                          Mono<Void> served =
                              ofCalls(exchange)
                                  ? served(exchange, spec, fromClient, toClient, in, out)
                                  : between(requestContext, fromClient, toClient, in, out);
                          return served.doFinally(signal -> done.tryEmitEmpty());
                        },
                        server.build())))
        .then(done.asMono())
        .doOnCancel(
            () -> {
              if (!began.get()) {
                done.tryEmitEmpty();
              }
            });
  }

  private static boolean ofCalls(ServerWebExchange exchange) {
    return MessageCalls.of(RequestContext.of(exchange).endpoint().spec(), exchange.getRequest())
        != null;
  }

  /** Makes the calls that the messages of the client are; the upgrade itself is served by then. */
  private Mono<Void> served(
      ServerWebExchange exchange,
      UpstreamSpec spec,
      WebsocketInbound fromClient,
      WebsocketOutbound toClient,
      WebsocketInbound in,
      WebsocketOutbound out) {
    RequestContext requestContext = RequestContext.of(exchange);
    requestContext.tapped().tap().ends(SignalType.ON_COMPLETE);
    ApiCaller caller = requestContext.caller();
    BooleanSupplier admitted =
        () -> caller == null || keyRegistry.find(caller.spec().name()) != null;
    CallSession session =
        new CallSession(calls, exchange, spec, admitted, channel(toClient), channel(out));
    Mono<Void> up =
        session
            .readClient(WebSocketFrames.of(fromClient))
            .then(closeStatus(fromClient))
            .doOnNext(session::passToUpstream)
            .then();
    Mono<Void> down =
        session
            .readUpstream(
                requestContext
                    .loop()
                    .handOver(WebSocketFrames.of(in))
                    .doOnDiscard(WebSocketFrame.class, ReferenceCountUtil::release))
            .then(closeStatus(in))
            .doOnNext(session::passToClient)
            .then();
    return Mono.firstWithSignal(up, down).doFinally(signal -> session.ends());
  }

  private static Mono<WebSocketCloseStatus> closeStatus(WebsocketInbound of) {
    return of.receiveCloseStatus().defaultIfEmpty(WebSocketCloseStatus.ABNORMAL_CLOSURE);
  }

  private static Channel channel(WebsocketOutbound of) {
    AtomicReference<Channel> channel = new AtomicReference<>();
    of.withConnection(connection -> channel.set(connection.channel()));
    return Objects.requireNonNull(channel.get());
  }

  private Mono<Void> between(
      RequestContext requestContext,
      WebsocketInbound fromClient,
      WebsocketOutbound toClient,
      WebsocketInbound in,
      WebsocketOutbound out) {
    RequestLoop loop = requestContext.loop();
    SessionTap tap = new SessionTap(requestContext.tapped().tap());
    AtomicLong lastNanos = new AtomicLong(ticker.nanos());
    Mono<Void> up =
        passed(WebSocketFrames.of(fromClient), out, lastNanos)
            .onErrorComplete()
            .then(closed(fromClient, out));
    Mono<Void> down =
        passed(
                loop.handOver(WebSocketFrames.of(in))
                    .doOnDiscard(WebSocketFrame.class, ReferenceCountUtil::release)
                    .doOnNext(tap::passes),
                toClient,
                lastNanos)
            .onErrorComplete()
            .then(closed(in, toClient));
    // on the client's event loop, so that both close frames are written before either side's end
    // is noticed there, upon which the other side would be cut
    Disposable watch =
        idle(lastNanos, Schedulers.fromExecutorService(loop.eventLoop()))
            .doOnSuccess(
                nothing -> {
                  endIdle(toClient);
                  endIdle(out);
                })
            .subscribe();
    return Mono.firstWithSignal(up, down).doFinally(signal -> watch.dispose());
  }

  private Mono<Void> passed(Flux<WebSocketFrame> frames, NettyOutbound to, AtomicLong lastNanos) {
    return to.sendObject(frames.doOnNext(frame -> lastNanos.set(ticker.nanos())), frame -> true)
        .then();
  }

  /** Completes when nothing has passed for too long. */
  private Mono<Void> idle(AtomicLong lastNanos, Scheduler loop) {
    return Mono.defer(() -> Mono.delay(Duration.ofNanos(Math.max(0, leftNanos(lastNanos))), loop))
        .repeat(() -> leftNanos(lastNanos) > 0)
        .then();
  }

  private long leftNanos(AtomicLong lastNanos) {
    return lastNanos.get() + idleNanos - ticker.nanos();
  }

  /**
   * Sends a close frame to one side and closes its connection, unless that is closed. It is written
   * beside the stream of frames, the end of which would cut the other side before it got its own
   * frame.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // the connection is closed in any case
  private static void endIdle(WebsocketOutbound to) {
    to.withConnection(
        connection -> {
          Channel channel = connection.channel();
          if (channel.isActive()) {
            channel
                .writeAndFlush(
                    new CloseWebSocketFrame(WebSocketCloseStatus.ENDPOINT_UNAVAILABLE, IDLE))
                .addListener(ChannelFutureListener.CLOSE);
          }
        });
  }

  /**
   * Closes one side with the status with which the other was closed; if that was cut off, this is
   * cut off too.
   */
  private static Mono<Void> closed(WebsocketInbound from, WebsocketOutbound to) {
    return from.receiveCloseStatus()
        .flatMap(
            status -> {
              if (status.equals(WebSocketCloseStatus.EMPTY)) {
                return to.sendClose();
              }
              return WebSocketCloseStatus.isValidStatusCode(status.code())
                  ? to.sendClose(status.code(), status.reasonText())
                  : cut(to);
            })
        .switchIfEmpty(cut(to));
  }

  private static Mono<Void> cut(WebsocketOutbound to) {
    return Mono.fromRunnable(() -> to.withConnection(Connection::dispose));
  }

  /** Returns the answer of an upstream that did not upgrade, or an error if it is incomplete. */
  private static Mono<UpstreamAnswer> answered(
      ServerWebExchange exchange,
      WebSocketClientHandshakeException refusal,
      RefusedUpgrade refusedUpgrade,
      UpstreamAnswer.Learner learner) {
    var response = refusal.response();
    int status = response == null ? 0 : response.status().code();
    boolean error = status >= UpstreamFailure.LOWEST_ERROR_STATUS;
    if (response == null || (!error && !refusedUpgrade.whole())) {
      return Mono.error(new RefusedUpgrade.NotUpgraded(refusal));
    }
    HttpHeaders headers = response.headers().copy();
    HeaderNames.forThisHop(headers.getAll(HttpHeaderNames.CONNECTION)).forEach(headers::remove);
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    if (status != HttpResponseStatus.NO_CONTENT.code()) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, refusedUpgrade.body().length);
    }
    if (!error) {
      learner.learned(status, headers);
    }
    return UpstreamAnswer.whole(status, headers, refusedUpgrade.body(), exchange);
  }
}
