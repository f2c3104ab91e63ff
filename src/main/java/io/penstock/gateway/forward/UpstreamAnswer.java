package io.penstock.gateway.forward;

import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_ENCODING;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_LENGTH;
import static io.netty.handler.codec.http.HttpHeaderNames.CONTENT_TYPE;

import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.WithheldHeaders;
import io.penstock.gateway.request.RequestContext;
import io.penstock.gateway.request.UpstreamFailure;
import io.penstock.pool.Upstream;
import io.penstock.provider.answer.AnswerError;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.wire.AnswerBeginning;
import io.penstock.wire.FlushedParts;
import io.penstock.wire.HeaderNames;
import io.penstock.wire.SharedBuffers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.netty.Connection;
import reactor.netty.http.client.HttpClientResponse;

/**
 * An upstream's answer before it is decided whether the client gets it. Its owner must either
 * {@linkplain #pass pass} it on or {@linkplain #drop drop} it.
 *
 * @param status its status
 * @param headers its headers
 * @param body its body; null when there is none that could be read
 * @param connection the connection it comes on; null when that is closed
 * @param failed the reader that found an error in the beginning of an answer with a good status;
 *     null when there is none
 */
record UpstreamAnswer(
    int status,
    HttpHeaders headers,
    @Nullable AnswerBeginning body,
    @Nullable Connection connection,
    @Nullable AnswerReader failed) {
  /** Number of bytes of an error that are read to find out what it says. */
  private static final int ERROR_BYTES = 64 << 10;

  /** Longest time to wait for those bytes. */
  private static final Duration ERROR_TIME = Duration.ofSeconds(2);

  /** Callback for answers that are no errors, called as soon as their headers are known. */
  interface Learner {
    void learned(int status, HttpHeaders headers);
  }

  /** Returns whether a status means that there was too much load, not that something is broken. */
  static boolean limited(int status) {
    return status == 429 || status == 503 || status == 529;
  }

  /** Returns whether a status means that the upstream failed. */
  static boolean failed(int status) {
    return status == 408 || (status >= 500 && !limited(status));
  }

  /**
   * Returns the answer once enough of its body was read. For an error, that is the part that says
   * what went wrong. For any other answer, it is the first bytes: until they are there, the answer
   * can still fail without the client having received anything.
   *
   * <p>To be called on the event loop of the upstream's connection. The client's connection may
   * belong to another one, and be closed at any time.
   */
  static Mono<UpstreamAnswer> begun(
      HttpClientResponse head, Connection connection, ServerWebExchange exchange, Learner learner) {
    return Mono.defer(() -> read(head, connection, exchange, learner))
        // a body that nobody reads would be kept, and never released
        .doOnError(error -> connection.dispose())
        .doOnCancel(connection::dispose);
  }

  /**
   * Returns the answer of a call. One that comes at the moment in which the call is cancelled, by
   * another event loop, is dropped: it is past the place that would notice, and nobody gets it.
   */
  static Mono<UpstreamAnswer> only(Flux<UpstreamAnswer> answers) {
    return answers.singleOrEmpty().doOnDiscard(UpstreamAnswer.class, UpstreamAnswer::drop);
  }

  private static Mono<UpstreamAnswer> read(
      HttpClientResponse head, Connection connection, ServerWebExchange exchange, Learner learner) {
    int status = head.status().code();
    HttpHeaders headers = head.responseHeaders();
    if (status < UpstreamFailure.LOWEST_ERROR_STATUS) {
      learner.learned(status, headers);
    }
    NettyDataBufferFactory factory =
        (NettyDataBufferFactory) exchange.getResponse().bufferFactory();
    Flux<DataBuffer> body = connection.inbound().receive().retain().map(factory::wrap);
    // not that of the client, whose request may have no event loop any more
    EventLoop loop = connection.channel().eventLoop();
    if (status >= UpstreamFailure.LOWEST_ERROR_STATUS) {
      return AnswerBeginning.of(body, ERROR_BYTES, ERROR_TIME, loop)
          .map(read -> new UpstreamAnswer(status, headers, read, connection, null));
    }
    ErrorLook look = look(status, headers, RequestContext.of(exchange));
    return look == null
        ? AnswerBeginning.something(body)
            .map(read -> new UpstreamAnswer(status, headers, read, connection, null))
        : AnswerBeginning.looked(body, look, ERROR_BYTES, ERROR_TIME, loop)
            .map(
                read ->
                    new UpstreamAnswer(
                        status, headers, read, connection, look.failed(read.complete())));
  }

  /** Returns what looks for an error in an answer; null if none is expected there. */
  private static @Nullable ErrorLook look(
      int status, HttpHeaders headers, RequestContext requestContext) {
    if (!requestContext.weighed() || status < 200 || status >= 300) {
      return null;
    }
    String encoding = headers.get(CONTENT_ENCODING);
    return new ErrorLook(
        () -> requestContext.protocol().answerReader(headers.get(CONTENT_TYPE), encoding),
        encoding != null);
  }

  /**
   * Returns an answer with a body that was read in full.
   *
   * @param exchange the request that it answers
   */
  static Mono<UpstreamAnswer> whole(
      int status, HttpHeaders headers, byte[] bytes, ServerWebExchange exchange) {
    Flux<DataBuffer> body =
        Flux.defer(() -> Flux.just(exchange.getResponse().bufferFactory().wrap(bytes)));
    EventLoop loop = RequestContext.of(exchange).loop().eventLoop();
    return AnswerBeginning.of(body, ERROR_BYTES, ERROR_TIME, loop)
        .map(read -> new UpstreamAnswer(status, headers, read, null, null));
  }

  /**
   * Returns an answer that is a stream of events, once its beginning was read.
   *
   * @param exchange the request that it answers
   */
  static Mono<UpstreamAnswer> ofEvents(Flux<DataBuffer> events, ServerWebExchange exchange) {
    RequestContext requestContext = RequestContext.of(exchange);
    HttpHeaders headers = new DefaultHttpHeaders();
    headers.set(CONTENT_TYPE, MediaType.TEXT_EVENT_STREAM_VALUE);
    ErrorLook look =
        new ErrorLook(
            () -> requestContext.protocol().answerReader(headers.get(CONTENT_TYPE), null), false);
    EventLoop loop = requestContext.loop().eventLoop();
    return AnswerBeginning.looked(events, look, ERROR_BYTES, ERROR_TIME, loop)
        .map(read -> new UpstreamAnswer(200, headers, read, null, look.failed(read.complete())));
  }

  /** Returns the error that it states although its status is a good one, or null. */
  @Nullable AnswerError error() {
    return failed == null ? null : failed.error();
  }

  /** Returns its status, or that which the error would have that it states. */
  int outcome() {
    AnswerError error = error();
    return error == null ? status : error.status();
  }

  /** Returns the beginning of an error's body, inflated if it can be. */
  byte[] beginning() {
    AnswerError error = error();
    if (error != null) {
      return error.body();
    }
    byte[] bytes = body == null ? new byte[0] : body.bytes();
    String encoding = headers.get(HttpHeaderNames.CONTENT_ENCODING);
    return encoding == null || bytes.length == 0
        ? bytes
        : inflated(bytes, encoding.strip().toLowerCase(Locale.ROOT));
  }

  private static byte[] inflated(byte[] bytes, String encoding) {
    ByteArrayInputStream packed = new ByteArrayInputStream(bytes);
    byte[] plain = new byte[ERROR_BYTES];
    int count = 0;
    try (InputStream reading =
        switch (encoding) {
          case "gzip", "x-gzip" -> new GZIPInputStream(packed);
          case "deflate" -> new InflaterInputStream(packed);
          default -> packed;
        }) {
      int more = 0;
      while (more >= 0 && count < plain.length) {
        count += more;
        more = reading.read(plain, count, plain.length - count);
      }
    } catch (IOException cut) {
      return count == 0 ? bytes : Arrays.copyOf(plain, count); // the rest is still to come
    }
    return Arrays.copyOf(plain, count);
  }

  /** Writes the answer to the client as it came. */
  Mono<Void> pass(ServerWebExchange exchange) {
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatusCode.valueOf(status));
    RequestContext requestContext = RequestContext.of(exchange);
    pass(requestContext, response.getHeaders());
    if (body == null) {
      return response.setComplete();
    }
    // a body in one piece is written together with its head, without the cost of a stream
    return requestContext.weighed() && body.isOnePiece(headers.getInt(CONTENT_LENGTH, -1))
        ? response
            .writeWith(Mono.fromSupplier(body::onePiece).map(SharedBuffers::releasedOnce))
            .doFinally(this::closes)
        : stream(response, body, requestContext);
  }

  /**
   * Copies the headers, except those about the provider's limits, because the client's limits are
   * those of the gateway, and those that the endpoint does not pass.
   */
  private void pass(RequestContext requestContext, org.springframework.http.HttpHeaders to) {
    Set<String> listed = requestContext.endpoint().spec().forwarding().headers().ofAnswers();
    Iterator<Map.Entry<String, String>> all = headers.iteratorAsString();
    while (all.hasNext()) {
      Map.Entry<String, String> each = all.next();
      String lower = each.getKey().toLowerCase(Locale.ROOT);
      boolean stays =
          HeaderNames.isHopByHop(lower)
              || HeaderNames.saysProviderLimits(lower)
              || (WithheldHeaders.OF_ANSWERS.keeps(lower, listed)
                  && !leadsElsewhere(lower, each.getValue(), requestContext));
      if (!stays) {
        to.add(each.getKey(), each.getValue());
      }
    }
  }

  /** Returns whether a header leads to a public host other than the upstream. */
  private static boolean leadsElsewhere(String lower, String value, RequestContext requestContext) {
    if (!InternalLocation.isStatedBy(lower)) {
      return false;
    }
    TicketSettlement settlement = requestContext.settlement();
    Upstream upstream = settlement == null ? null : settlement.upstream();
    return !InternalLocation.is(value, upstream == null ? null : upstream.spec().url().getHost());
  }

  private Mono<Void> stream(
      ServerHttpResponse response, AnswerBeginning body, RequestContext requestContext) {
    AtomicReference<@Nullable Subscription> passing = new AtomicReference<>();
    // when an upload breaks off, the answer of the upstream just ends: it must not look complete
    Flux<DataBuffer> whole =
        requestContext
            .loop()
            .handOver(body.whole())
            .doOnDiscard(DataBuffer.class, DataBufferUtils::release)
            .concatWith(
                Mono.defer(() -> Mono.justOrEmpty(requestContext.badUpload())).flatMap(Mono::error))
            .doOnSubscribe(passing::set);
    Mono<Void> written =
        headers.contains(CONTENT_LENGTH)
            ? response.writeWith(whole)
            : FlushedParts.write(response, whole);
    return written.doFinally(
        signal -> {
          Subscription subscription = passing.get();
          if (signal == SignalType.ON_ERROR && subscription != null) {
            subscription.cancel(); // a response that cannot be written leaves its source alone
          }
          closes(signal);
        });
  }

  private void closes(SignalType signal) {
    if (signal != SignalType.ON_COMPLETE) {
      drop();
    }
  }

  /** Releases the answer. Its connection is reused only if nothing more comes on it. */
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
