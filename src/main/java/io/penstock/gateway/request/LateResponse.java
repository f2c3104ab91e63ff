package io.penstock.gateway.request;

import io.penstock.dispatch.TicketOutcome;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusalBody;
import io.penstock.provider.RefusedCall;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Response that continues an answer after heartbeats have sent the client status 200 and the type
 * of an event stream. A status and headers that are set here are only seen by the code that writes
 * the response. An event stream written here follows what was sent; any other body becomes one
 * error event. Belongs to the event loop of the request.
 */
public final class LateResponse extends ServerHttpResponseDecorator {
  /** The longest error that is passed on. */
  private static final int MOST_ERROR_BYTES = 64 << 10;

  private static final int MOST_BEATS = 16;
  private static final JsonMapper JSON = new JsonMapper();

  private final HttpHeaders headers = new HttpHeaders();
  private final RequestContext requestContext;
  private final Sinks.One<Flux<Publisher<DataBuffer>>> written = Sinks.unsafe().one();

  /**
   * Beats to send before the rest of the answer; if the client does not read, beats that do not fit
   * are dropped.
   */
  private final Sinks.Many<Publisher<DataBuffer>> beats =
      Sinks.unsafe().many().unicast().onBackpressureBuffer(new ArrayBlockingQueue<>(MOST_BEATS));

  private final Sinks.Empty<Void> ended = Sinks.unsafe().empty();
  private @Nullable HttpStatusCode status;
  private boolean begun;

  LateResponse(ServerHttpResponse response, RequestContext requestContext) {
    super(response);
    this.requestContext = requestContext;
  }

  /** Returns what {@code writer} writes into this response; cancelling it cancels the writer. */
  Flux<Publisher<DataBuffer>> of(Mono<Void> writer) {
    return Flux.deferContextual(
        context -> {
          Disposable running =
              writer
                  .contextWrite(context)
                  .subscribe(
                      nothing -> {},
                      error -> {
                        beats.tryEmitComplete();
                        written.tryEmitError(error);
                        ended.tryEmitError(error);
                      },
                      () -> {
                        beats.tryEmitComplete();
                        written.tryEmitEmpty();
                        ended.tryEmitEmpty();
                      });
          return beats
              .asFlux()
              .concatWith(written.asMono().flatMapMany(Function.identity()))
              .doOnCancel(running::dispose);
        });
  }

  @Override
  public HttpHeaders getHeaders() {
    return headers;
  }

  @Override
  public boolean setStatusCode(@Nullable HttpStatusCode code) {
    status = code;
    return true;
  }

  @Override
  public @Nullable HttpStatusCode getStatusCode() {
    return status;
  }

  /**
   * Returns whether anything beyond beats was written: until then the response can become an error.
   */
  @Override
  public boolean isCommitted() {
    return begun;
  }

  @Override
  public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
    return write(Flux.from(body));
  }

  @Override
  public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
    return write(Flux.from(body).concatMap(Function.identity(), 1));
  }

  @Override
  public Mono<Void> setComplete() {
    return write(Flux.empty());
  }

  /** Sends a beat from time to time while the request waits once more. */
  public Mono<TicketOutcome> beat(StreamHeartbeat heartbeat, Mono<TicketOutcome> outcome) {
    return Mono.defer(
        () -> {
          Disposable beating =
              Flux.interval(heartbeat.every(), heartbeat.timer())
                  .subscribe(beat -> beats.tryEmitNext(heartbeat.beat(bufferFactory())));
          return outcome.doFinally(end -> beating.dispose());
        });
  }

  /**
   * Writes a refusal of a request that had been queued.
   *
   * @param useless whether repeating it is useless
   */
  Mono<Void> refuse(RefusalBody body, boolean useless) {
    status = HttpStatusCode.valueOf(body.status());
    return hand(Flux.defer(() -> Flux.just(event(body.bytes(), useless))));
  }

  private Mono<Void> write(Flux<DataBuffer> body) {
    return Mono.defer(() -> hand(events() ? body : error(body).flux()));
  }

  /**
   * Writes a body to the client. If the body fails, its writer learns of it first and decides how
   * the response ends.
   */
  private Mono<Void> hand(Flux<DataBuffer> body) {
    return Mono.defer(
        () -> {
          begun = true;
          beats.tryEmitComplete();
          Sinks.Empty<Void> done = Sinks.unsafe().empty();
          Flux<DataBuffer> watched =
              body.doOnComplete(() -> done.tryEmitEmpty().orThrow())
                  .onErrorResume(
                      error -> {
                        done.tryEmitError(error).orThrow();
                        return ended.asMono().thenMany(Flux.empty());
                      });
          written.tryEmitValue(watched.map(Mono::just)).orThrow();
          return done.asMono();
        });
  }

  private boolean events() {
    return (status == null || status.is2xxSuccessful()) && is(MediaType.TEXT_EVENT_STREAM);
  }

  private boolean is(MediaType expected) {
    MediaType type = headers.getContentType();
    return type != null && type.isCompatibleWith(expected);
  }

  /** Returns an upstream's own error if it can be an event, else an error of the gateway. */
  private Mono<DataBuffer> error(Flux<DataBuffer> body) {
    Mono<DataBuffer> ours = Mono.fromSupplier(() -> error(noStream()));
    boolean succeeded = status != null && status.is2xxSuccessful();
    if (succeeded || !is(MediaType.APPLICATION_JSON)) {
      return body.doOnNext(DataBufferUtils::release).then().onErrorComplete().then(ours);
    }
    return DataBufferUtils.join(body, MOST_ERROR_BYTES)
        .onErrorComplete()
        .mapNotNull(this::theirs)
        .switchIfEmpty(ours);
  }

  private @Nullable DataBuffer theirs(DataBuffer body) {
    byte[] json = new byte[body.readableByteCount()];
    body.read(json);
    DataBufferUtils.release(body);
    return isError(json) ? event(json, false) : null;
  }

  /** Returns whether a body has the shape in which clients of all providers find an error. */
  private static boolean isError(byte[] json) {
    try {
      return JSON.readTree(json).path("error").isObject();
    } catch (JacksonException e) {
      return false;
    }
  }

  private Refusal noStream() {
    String message = status == null ? "" : " with status " + status.value();
    return Refusal.of(
        isFinal() ? RefusalReason.BAD_REQUEST : RefusalReason.UPSTREAM_UNREACHABLE,
        "the upstream answered" + message + " and with no event stream");
  }

  private DataBuffer error(Refusal refusal) {
    RefusedCall call = requestContext.refusedCall(requestContext.retryAdvice(refusal));
    return event(requestContext.protocol().refusalBody(refusal, call).bytes(), false);
  }

  /** Returns whether the status says that the same request would be answered so again. */
  private boolean isFinal() {
    return status != null
        && status.is4xxClientError()
        && status.value() != HttpStatus.REQUEST_TIMEOUT.value()
        && status.value() != HttpStatus.TOO_MANY_REQUESTS.value();
  }

  private DataBuffer event(byte[] json, boolean useless) {
    ProviderProtocol protocol = requestContext.protocol();
    return bufferFactory()
        .wrap(
            useless || isFinal()
                ? protocol.finalErrorEvent(
                    json, requestContext.call().path(), requestContext.requestId())
                : protocol.errorEvent(json));
  }
}
