package io.penstock.gateway.request;

import io.netty.channel.EventLoop;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.WaitForecast;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.explain.RecentPlaces;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
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
 * between takes the connection for dead. Where the protocol has comments, a beat says how many
 * tickets are to go until it is the client's turn, and how long that will take.
 *
 * <p>The first beat begins the answer: from then on its status is 200, and its headers are those
 * known by then. Everything that comes later is written into the same answer, see {@link
 * LateResponse}.
 *
 * @param content the bytes of the next beat, which a reader of the stream ignores
 * @param first time before the first beat
 * @param every time between beats
 * @param timer the event loop of the request
 */
public record StreamHeartbeat(
    Mono<byte[]> content, Duration first, Duration every, Scheduler timer) {
  /** Longest time to wait for the place of the ticket; a beat comes without it after that. */
  private static final Duration PLACE_TIMEOUT = Duration.ofSeconds(1);

  private static final long SECOND_NANOS = 1_000_000_000;

  /** Content type that the first beat sends, before the outcome is known. */
  private static final String EVENT_STREAM = "text/event-stream;charset=utf-8";

  /**
   * Returns the heartbeat for a client that waits for a stream, or null when it gets none.
   *
   * @param waitedNanos how long it has waited already, ≥ 0
   */
  public static @Nullable StreamHeartbeat of(
      RequestContext requestContext, ParkedTicket ticket, long waitedNanos, EventLoop loop) {
    EndpointSpec.Heartbeats beats = requestContext.endpoint().spec().waiting().heartbeats();
    byte[] plain = requestContext.protocol().heartbeat(requestContext.parameters().query());
    boolean messages = requestContext.message() != null; // pings go to their client anyway
    if (beats.everyNanos() == 0 || plain == null || messages || !requestContext.stream()) {
      return null;
    }
    Scheduler timer = Schedulers.fromExecutorService(loop);
    return new StreamHeartbeat(
        content(requestContext, ticket, plain, timer),
        Duration.ofNanos(Math.max(0, beats.afterNanos() - waitedNanos)),
        Duration.ofNanos(beats.everyNanos()),
        timer);
  }

  private static Mono<byte[]> content(
      RequestContext requestContext, ParkedTicket ticket, byte[] plain, Scheduler timer) {
    return Mono.fromFuture(() -> requestContext.endpoint().places())
        .publishOn(timer)
        .mapNotNull(places -> places.of(ticket))
        .map(place -> requestContext.protocol().heartbeat(plain, text(place)))
        .timeout(PLACE_TIMEOUT, timer)
        .onErrorComplete(TimeoutException.class)
        .defaultIfEmpty(plain);
  }

  private static String text(RecentPlaces.Place place) {
    String position = "position " + place.position();
    WaitForecast expected = place.expected();
    return expected.known()
        ? position
            + (expected.bound() ? ", expected wait at least " : ", expected wait ")
            + Math.max(1, Math.ceilDiv(expected.waitNanos(), SECOND_NANOS))
            + " s"
        : position;
  }

  /** Returns one beat, made when it is subscribed to. */
  Mono<DataBuffer> beat(DataBufferFactory factory) {
    return content.map(factory::wrap);
  }

  /**
   * Sends beats until there is an outcome, then goes on with it: in the exchange itself if no beat
   * was sent yet, else in an exchange whose response continues the answer that was begun.
   *
   * @param outcome the outcome to wait for; it is never cancelled, because the end of the request
   *     cancels its ticket
   */
  public Mono<Void> until(
      Mono<TicketOutcome> outcome,
      ServerWebExchange exchange,
      BiFunction<ServerWebExchange, TicketOutcome, Mono<Void>> then) {
    return Mono.defer(
        () -> {
          Sinks.One<TicketOutcome> decided = Sinks.unsafe().one();
          outcome.subscribe(
              each -> decided.tryEmitValue(each).orThrow(),
              error -> decided.tryEmitError(error).orThrow());
          return decided
              .asMono()
              .takeUntilOther(Mono.delay(first, timer))
              .singleOptional()
              .flatMap(
                  (Optional<TicketOutcome> early) ->
                      early.isPresent()
                          ? then.apply(exchange, early.get())
                          : beat(decided.asMono(), exchange, then));
        });
  }

  private Mono<Void> beat(
      Mono<TicketOutcome> decided,
      ServerWebExchange exchange,
      BiFunction<ServerWebExchange, TicketOutcome, Mono<Void>> then) {
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
            .map(beat -> beat(response.bufferFactory()));
    Flux<Publisher<DataBuffer>> rest =
        decided.flatMapMany(
            ticketOutcome -> {
              LateResponse late = new LateResponse(response, requestContext);
              requestContext.late(late);
              ServerWebExchange later = exchange.mutate().response(late).build();
              return late.of(then.apply(later, ticketOutcome));
            });
    return response.writeAndFlushWith(beats.concatWith(rest));
  }
}
