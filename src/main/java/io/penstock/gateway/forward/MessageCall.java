package io.penstock.gateway.forward;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.SocketMessage;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.wire.HeaderNames;
import java.io.IOException;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One message of a client's WebSocket that is a call. It passes all steps of a request, as the same
 * body would in a POST; only the call itself is made over the WebSocket to the upstream. Belongs to
 * the event loop of the client.
 */
final class MessageCall implements SocketMessage {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int LOWEST = UpstreamFailure.LOWEST_ERROR_STATUS;
  private static final int HIGHEST = 599;

  private final CallSession session;
  private final MessageBody body;
  private final Sinks.Empty<Void> turn = Sinks.empty();
  private @Nullable FluxSink<DataBuffer> answer;
  private Sinks.@Nullable Empty<Void> writing;
  private Sinks.@Nullable One<Mono<UpstreamAnswer>> early;
  private @Nullable Disposable running;
  private @Nullable ServerWebExchange exchange;
  private long wanted;
  private boolean begun;
  private boolean over;

  MessageCall(CallSession session, MessageBody body) {
    this.session = session;
    this.body = body;
  }

  MessageBody body() {
    return body;
  }

  /** Starts it, in an exchange of its own. */
  void start(ServerWebExchange upgrade) {
    ServerWebExchange own =
        new MessageExchange(
            upgrade,
            new MessageRequest(upgrade.getRequest(), body),
            new MessageResponse(upgrade.getResponse(), this));
    SocketMessage.attach(own, this);
    Disposable started =
        session
            .calls()
            .apply(own)
            .subscribe(null, error -> session.callFails(this, error), () -> ends());
    running = started;
    if (over) {
      started.dispose();
    }
  }

  private void ends() {
    over = true;
    body.leave();
    session.callEnds(this);
  }

  /** Returns whether it has ended, in whatever way. */
  boolean over() {
    return over;
  }

  /** Gives it up because its WebSocket ends. */
  void giveUp() {
    over = true;
    body.leave();
    if (running != null) {
      running.dispose();
    }
    FluxSink<DataBuffer> to = answer;
    answer = null;
    if (to != null) {
      to.error(new IOException("the WebSocket has ended"));
    }
  }

  @Override
  public String upstream() {
    return session.upstream();
  }

  @Override
  public boolean creates() {
    return body.creates();
  }

  @Override
  public @Nullable Mono<Void> turn() {
    return session.isFirst(this) ? null : turn.asMono();
  }

  /** Lets it go on, because no call is before it any more. */
  void goOn() {
    turn.emitEmpty(Sinks.EmitFailureHandler.FAIL_FAST);
  }

  /** Sends a part of its answer to the client. */
  Mono<Void> send(WebSocketFrame frame) {
    return session.toClient(frame);
  }

  /** Sends an error to the client, once the calls before it have ended. */
  Mono<Void> refuse(int status, byte[] event) {
    Mono<Void> before = turn();
    Mono<Void> sent =
        Mono.defer(
            () -> {
              session.refused(status);
              return session.toClient(new TextWebSocketFrame(Unpooled.wrappedBuffer(event)));
            });
    return before == null ? sent : before.then(sent);
  }

  /** Makes the call; cancelling it before the last event ends the WebSocket. */
  Mono<UpstreamAnswer> run(ServerWebExchange exchange, OutgoingRequest outgoingRequest) {
    return Mono.defer(
        () -> {
          if (!session.begins(this)) {
            return Mono.error(new IOException("the WebSocket to the upstream is closed"));
          }
          this.exchange = exchange;
          begun = false;
          Sinks.One<Mono<UpstreamAnswer>> sooner = Sinks.one();
          early = sooner;
          Flux<DataBuffer> events =
              Flux.<DataBuffer>create(sink -> listen(sink, exchange, outgoingRequest))
                  .doOnDiscard(DataBuffer.class, DataBufferUtils::release);
          return Mono.firstWithSignal(
              sooner.asMono().flatMap(each -> each), UpstreamAnswer.ofEvents(events, exchange));
        });
  }

  private void listen(
      FluxSink<DataBuffer> sink, ServerWebExchange exchange, OutgoingRequest outgoingRequest) {
    answer = sink;
    wanted = 0;
    Sinks.Empty<Void> wrote = Sinks.empty();
    writing = wrote;
    TicketSettlement settlement = RequestContext.of(exchange).settlement();
    Disposable sending =
        sent(outgoingRequest.body())
            .subscribe(
                null,
                this::fails,
                () -> {
                  writing = null;
                  wrote.tryEmitEmpty();
                  if (settlement != null) {
                    settlement.written(session.now());
                  }
                });
    sink.onRequest(
        more -> {
          wanted = Math.min(wanted + more, Integer.MAX_VALUE);
          session.pull();
        });
    sink.onDispose(
        () -> {
          sending.dispose();
          if (sink.equals(answer)) {
            answer = null;
            session.leftMidway(this);
          }
        });
  }

  /** Completes when all of the message that is being written to the upstream is. */
  Mono<Void> written() {
    Sinks.Empty<Void> present = writing;
    return present == null ? Mono.empty() : present.asMono();
  }

  private Mono<Void> sent(Publisher<ByteBuf> message) {
    if (message instanceof Mono<ByteBuf> one) {
      return one.flatMap(bytes -> session.toUpstream(new TextWebSocketFrame(bytes)));
    }
    return Flux.concat(
            Flux.from(message)
                .index(
                    (at, bytes) ->
                        at == 0
                            ? new TextWebSocketFrame(false, 0, bytes)
                            : new ContinuationWebSocketFrame(false, 0, bytes)),
            Flux.<WebSocketFrame>just(
                new ContinuationWebSocketFrame(true, 0, Unpooled.EMPTY_BUFFER)))
        .concatMap(session::toUpstream, 1)
        .then();
  }

  /** Returns whether the next part of its answer is wanted now. */
  boolean wantsMore() {
    return answer != null && wanted > 0;
  }

  /** Returns whether a part of its answer has come. */
  boolean begun() {
    return begun;
  }

  /** Returns whether events that come now are its answer. */
  boolean listens() {
    return answer != null;
  }

  /**
   * Handles a part of its answer, and takes the frame over.
   *
   * @param first whether a message begins with it
   * @param beginning the beginning of the message, once its last frame is there; else null
   */
  void comes(WebSocketFrame frame, boolean first, byte @Nullable [] beginning) {
    FluxSink<DataBuffer> to = answer;
    if (to == null) {
      frame.release();
      return;
    }
    String type = beginning == null ? null : MessageType.of(beginning);
    if (beginning != null && first && !begun && MessageType.ERROR.equals(type)) {
      Mono<UpstreamAnswer> error = error(beginning);
      Sinks.One<Mono<UpstreamAnswer>> sooner = early;
      if (error != null && sooner != null) {
        frame.release();
        answer = null;
        session.answered(this);
        sooner.emitValue(error, Sinks.EmitFailureHandler.FAIL_FAST);
        return;
      }
    }
    begun = true;
    wanted--;
    boolean last = MessageType.ends(type);
    if (last) {
      answer = null;
    }
    to.next(MessageResponse.event(frame, first, session.factory()));
    if (last) {
      to.complete();
    }
  }

  /** Returns an error event as the answer with its status, or null if it states none. */
  private @Nullable Mono<UpstreamAnswer> error(byte[] event) {
    JsonNode read;
    try {
      read = JSON.readTree(event);
    } catch (JacksonException cut) {
      return null;
    }
    JsonNode stated = read.has("status") ? read.path("status") : read.path("status_code");
    int status = stated.isInt() ? stated.intValue() : 0;
    ServerWebExchange asking = exchange;
    if (status < LOWEST || status > HIGHEST || asking == null) {
      return null;
    }
    HttpHeaders headers = new DefaultHttpHeaders();
    read.path("headers")
        .forEachEntry(
            (name, value) -> {
              String text = value.asString("");
              if (!text.isBlank() && passes(name, text)) {
                headers.set(name, text.strip());
              }
            });
    headers.remove(HttpHeaderNames.CONTENT_LENGTH);
    headers.set(HttpHeaderNames.CONTENT_TYPE, MediaType.APPLICATION_JSON_VALUE);
    return UpstreamAnswer.whole(status, headers, event, asking);
  }

  /** Returns whether an answer could have a header. */
  private static boolean passes(String name, String value) {
    return !name.isEmpty()
        && HttpHeaderValidationUtil.validateToken(name) < 0
        && HttpHeaderValidationUtil.validateValidHeaderValue(value) < 0
        && !HeaderNames.isHopByHop(name.toLowerCase(Locale.ROOT));
  }

  /** Ends its answer with an error. */
  void fails(Throwable error) {
    FluxSink<DataBuffer> to = answer;
    answer = null;
    if (to != null) {
      to.error(error);
    }
  }

  /** The exchange of a message, with attributes of its own. */
  private static final class MessageExchange extends ServerWebExchangeDecorator {
    private final Map<String, Object> attributes = new HashMap<>();
    private final ServerHttpRequest request;
    private final ServerHttpResponse response;

    MessageExchange(
        ServerWebExchange upgrade, ServerHttpRequest request, ServerHttpResponse response) {
      super(upgrade);
      this.request = request;
      this.response = response;
    }

    @Override
    public Map<String, Object> getAttributes() {
      return attributes;
    }

    @Override
    public ServerHttpRequest getRequest() {
      return request;
    }

    @Override
    public ServerHttpResponse getResponse() {
      return response;
    }
  }

  /** A message as the POST of its body. */
  private static final class MessageRequest extends ServerHttpRequestDecorator {
    private final org.springframework.http.HttpHeaders headers;
    private final MessageBody body;

    MessageRequest(ServerHttpRequest upgrade, MessageBody body) {
      super(upgrade);
      this.body = body;
      headers = new org.springframework.http.HttpHeaders();
      upgrade
          .getHeaders()
          .forEach(
              (name, values) -> {
                String lower = name.toLowerCase(Locale.ROOT);
                boolean ofUpgrade =
                    HeaderNames.isHopByHop(lower)
                        || lower.startsWith("sec-websocket")
                        || lower.equals("content-length")
                        || lower.equals("content-encoding")
                        || lower.equals(HeaderNames.REQUEST_ID);
                if (!ofUpgrade) {
                  headers.addAll(name, values);
                }
              });
      headers.setContentType(MediaType.APPLICATION_JSON);
    }

    @Override
    public HttpMethod getMethod() {
      return HttpMethod.POST;
    }

    @Override
    public org.springframework.http.HttpHeaders getHeaders() {
      return headers;
    }

    @Override
    public Flux<DataBuffer> getBody() {
      return body.read();
    }
  }
}
