package io.penstock.gateway.request;

import io.netty.channel.EventLoop;
import io.penstock.dispatch.TicketOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Sends something from time to time to a client that waits for an event stream, so that no proxy
 * between takes the connection for dead.
 *
 * <p>The first beat begins the answer: from then on its status is 200, and its headers are those
 * known by then. Everything that comes later is written into the same answer, see {@link
 * LateResponse}.
 *
 * @param bytes bytes of one beat, which a reader of the stream ignores
 * @param every time between beats, and before the first
 * @param timer the event loop of the request
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StreamHeartbeat(byte[] bytes, Duration every, Scheduler timer) {
  /** Content type that the first beat sends, before the outcome is known. */
  private static final String EVENT_STREAM = "text/event-stream;charset=utf-8";

  /** Returns the heartbeat for a client that waits for a stream, or null when it gets none. */
  public static @Nullable StreamHeartbeat of(RequestContext requestContext, EventLoop loop) {
    long nanos = requestContext.endpoint().spec().waiting().heartbeatNanos();
    byte[] bytes = requestContext.protocol().heartbeat(requestContext.parameters().query());
    return nanos == 0 || bytes == null || !requestContext.stream()
        ? null
        : new StreamHeartbeat(bytes, Duration.ofNanos(nanos), Schedulers.fromExecutorService(loop));
  }

  /**
   * Sends beats until there is an outcome, then goes on with it: in the exchange itself if no beat
   * was sent yet, else in an exchange whose response continues the answer that was begun.
   *
   * @param outcome the outcome to wait for; it is never cancelled, {@code onCancel} is called
   *     instead
   * @param onCancel called when the client goes away, also when it is too late to matter
   */
  public Mono<Void> until(
      Mono<TicketOutcome> outcome,
      ServerWebExchange exchange,
      BiFunction<ServerWebExchange, TicketOutcome, Mono<Void>> then,
      Runnable onCancel) {
    return Mono.defer(
        () -> {
          Sinks.One<TicketOutcome> decided = Sinks.unsafe().one();
          outcome.subscribe(
              each -> decided.tryEmitValue(each).orThrow(),
              error -> decided.tryEmitError(error).orThrow());
          return decided
              .asMono()
              .takeUntilOther(Mono.delay(every, timer))
              .singleOptional()
              .flatMap(
                  (Optional<TicketOutcome> early) ->
                      early.isPresent()
                          ? then.apply(exchange, early.get())
                          : beat(decided.asMono(), exchange, then, onCancel))
              .doOnCancel(onCancel);
        });
  }

  private Mono<Void> beat(
      Mono<TicketOutcome> decided,
      ServerWebExchange exchange,
      BiFunction<ServerWebExchange, TicketOutcome, Mono<Void>> then,
      Runnable onCancel) {
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(HttpStatus.OK);
    RequestContext requestContext = RequestContext.of(exchange);
    HttpHeaders headers = response.getHeaders();
    headers.set(HttpHeaders.CONTENT_TYPE, EVENT_STREAM);
    GatewayHeaders.write(headers, requestContext);
    Flux<Publisher<DataBuffer>> beats =
        Flux.interval(Duration.ZERO, every, timer)
            .onBackpressureDrop() // a client that does not read gets no beats
            .takeUntilOther(decided)
            .map(beat -> Mono.fromSupplier(() -> response.bufferFactory().wrap(bytes)));
    Flux<Publisher<DataBuffer>> rest =
        decided.flatMapMany(
            ticketOutcome -> {
              LateResponse late = new LateResponse(response, requestContext);
              requestContext.late(late);
              ServerWebExchange later = exchange.mutate().response(late).build();
              return late.of(then.apply(later, ticketOutcome));
            });
    return response.writeAndFlushWith(beats.concatWith(rest).doOnCancel(onCancel));
  }
}
