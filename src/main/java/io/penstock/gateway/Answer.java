package io.penstock.gateway;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.wire.Beginning;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.Names;
import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClientResponse;

/**
 * An upstream's answer, before anybody knows whether the client gets it. Whoever has one
 * {@linkplain #pass passes} it on or {@linkplain #drop drops} it.
 *
 * @param status its status
 * @param headers its headers
 * @param body its body; null when there is none that could be read
 * @param connection it comes on; null when that is closed
 */
record Answer(
    int status, HttpHeaders headers, @Nullable Beginning body, @Nullable Connection connection) {
  /** The first status that is an error. */
  static final int ERRORS = 400;

  /** What is read of an error to know what it says. */
  private static final int ERROR_BYTES = 64 << 10;

  /** How long an error may take to say it. */
  private static final Duration ERROR_TIME = Duration.ofSeconds(2);

  /** Is told of an answer that is no error, as soon as its headers are known. */
  interface Learner {
    void learned(int status, HttpHeaders headers);
  }

  /** Returns whether a status says that there was too much, not that something is wrong. */
  static boolean limited(int status) {
    return status == 429 || status == 503 || status == 529;
  }

  /** Returns whether a status says that the upstream failed. */
  static boolean failed(int status) {
    return status == 408 || (status >= 500 && !limited(status));
  }

  /**
   * Returns the answer to an exchange that was routed, once enough of its body was read: what tells
   * an error apart, or of any other answer its first bytes, because until they are there it can
   * still fail without the client having had anything.
   */
  static Mono<Answer> begun(
      HttpClientResponse head, Connection connection, ServerWebExchange exchange, Learner learner) {
    int status = head.status().code();
    HttpHeaders headers = head.responseHeaders();
    if (status < ERRORS) {
      learner.learned(status, headers);
    }
    NettyDataBufferFactory factory =
        (NettyDataBufferFactory) exchange.getResponse().bufferFactory();
    Flux<DataBuffer> body = connection.inbound().receive().retain().map(factory::wrap);
    EventLoop loop = ConnectionGuard.channel(exchange.getRequest()).eventLoop();
    Mono<Beginning> beginning =
        status < ERRORS
            ? Beginning.something(body)
            : Beginning.of(body, ERROR_BYTES, ERROR_TIME, loop);
    return beginning
        .map(read -> new Answer(status, headers, read, connection))
        .doOnCancel(connection::dispose);
  }

  /**
   * Returns an answer that was read to its end.
   *
   * @param exchange whose answer it is
   */
  static Mono<Answer> whole(
      int status, HttpHeaders headers, byte[] bytes, ServerWebExchange exchange) {
    Flux<DataBuffer> body =
        Flux.defer(() -> Flux.just(exchange.getResponse().bufferFactory().wrap(bytes)));
    EventLoop loop = ConnectionGuard.channel(exchange.getRequest()).eventLoop();
    return Beginning.of(body, ERROR_BYTES, ERROR_TIME, loop)
        .map(read -> new Answer(status, headers, read, null));
  }

  /** Returns the beginning of an error's body. */
  byte[] beginning() {
    return body == null ? new byte[0] : body.bytes();
  }

  /** Writes it as it came. */
  Mono<Void> pass(ServerWebExchange exchange) {
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatusCode.valueOf(status));
    pass(response.getHeaders());
    if (body == null) {
      return response.setComplete();
    }
    Passage passage = Passage.of(exchange);
    // one piece is written with its head, without all that streams need
    return passage.weighed() && body.isOnePiece(headers.getInt(CONTENT_LENGTH, -1))
        ? response.writeWith(Mono.fromSupplier(body::onePiece)).doFinally(this::closes)
        : stream(response, body, passage);
  }

  /** What a provider says of its limits is not for the client, whose limits are the gateway's. */
  private void pass(org.springframework.http.HttpHeaders to) {
    Iterator<Map.Entry<String, String>> all = headers.iteratorAsString();
    while (all.hasNext()) {
      Map.Entry<String, String> each = all.next();
      String lower = each.getKey().toLowerCase(Locale.ROOT);
      if (!Names.HOP_BY_HOP.contains(lower) && !Names.saysProviderLimits(lower)) {
        to.add(each.getKey(), each.getValue());
      }
    }
  }

  private Mono<Void> stream(ServerHttpResponse response, Beginning body, Passage passage) {
    // to who sends, an answer ends when its request breaks off: it must not look complete
    Flux<DataBuffer> whole =
        body.whole()
            .concatWith(
                Mono.defer(() -> Mono.justOrEmpty(passage.badUpload())).flatMap(Mono::error));
    Mono<Void> written =
        headers.contains(CONTENT_LENGTH)
            ? response.writeWith(whole)
            : response.writeAndFlushWith(whole.map(Flux::just));
    return written.doFinally(this::closes);
  }

  private void closes(SignalType signal) {
    if (signal != SignalType.ON_COMPLETE) {
      drop();
    }
  }

  /** Lets go of it. The connection can be used again only if there is no more to come on it. */
  void drop() {
    if (body == null) {
      return;
    }
    boolean complete = body.complete();
    body.drop();
    if (!complete && connection != null) {
      connection.dispose();
    }
  }
}
