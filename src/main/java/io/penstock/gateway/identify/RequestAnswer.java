package io.penstock.gateway.identify;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.WaitForecast;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.TicketOperations;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.RecentPlaces;
import io.penstock.explain.WaitingTicket;
import io.penstock.gateway.request.RawPaths;
import io.penstock.gateway.request.RecentRequests;
import io.penstock.gateway.request.TrackedRequest;
import io.penstock.key.ApiCaller;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import io.penstock.wire.HeaderNames;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ServerWebExchange;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tells a client about one of its requests: the place in the queue and the expected wait, or how it
 * ended. It tells nothing about requests of others, not even whether they exist.
 */
public final class RequestAnswer {
  private static final String PREFIX = "/v1/penstock/requests/";
  private static final long MILLI = 1_000_000L;

  /** Longest wait for the owner of the queue; the answer comes without the place after that. */
  private static final Duration OWNER_TIMEOUT = Duration.ofSeconds(1);

  private static final String NOT_FOUND =
      "no request with this id that was sent with this key is in the gateway or ended within the"
          + " last minute";

  /** The place of a waiting request and the cause of its wait, as far as they are known. */
  private record Standing(Optional<RecentPlaces.Place> place, Optional<BindingLimit> cause) {
    static final Standing UNKNOWN = new Standing(Optional.empty(), Optional.empty());
  }

  private final RecentRequests requests;
  private final TicketOperations tickets;
  private final Ticker ticker;

  public RequestAnswer(RecentRequests requests, TicketOperations tickets, Ticker ticker) {
    this.requests = requests;
    this.tickets = tickets;
    this.ticker = ticker;
  }

  /** Returns whether a request asks about a request, whatever endpoints there are. */
  static boolean isRequestQuestion(ServerHttpRequest request) {
    return HttpMethod.GET.equals(request.getMethod())
        && request.getURI().getRawPath().startsWith(PREFIX);
  }

  /**
   * Starts to follow a request, unless nobody may ask about it: without keys, only an id that the
   * gateway made is a secret of the client.
   *
   * @param made whether the gateway made its id
   */
  @Nullable TrackedRequest follow(
      @Nullable ApiCaller caller, String requestId, boolean made, Endpoint endpoint) {
    return caller == null && !made
        ? null
        : requests.add(client(caller), requestId, endpoint.path());
  }

  /** Notes that a followed request ended, with that status, or 0 if its client went away first. */
  void ended(TrackedRequest request, int status) {
    request.ended(status);
    requests.ended(request);
  }

  private static Object client(@Nullable ApiCaller caller) {
    return caller == null ? RecentRequests.ANYONE : caller.spec().identity();
  }

  /** Answers a question about a request. */
  Mono<Void> write(ServerWebExchange exchange, String requestId, @Nullable ApiCaller caller) {
    ServerHttpRequest request = exchange.getRequest();
    String asked = RawPaths.decoded(request.getURI().getRawPath().substring(PREFIX.length()));
    TrackedRequest found = requests.find(client(caller), asked);
    if (found == null) {
      return send(exchange, requestId, HttpStatus.NOT_FOUND, unknown());
    }
    if (!(found.state()
        instanceof TrackedRequest.Waiting(Endpoint endpoint, ParkedTicket ticket))) {
      return send(exchange, requestId, HttpStatus.OK, shown(found, Standing.UNKNOWN));
    }
    Scheduler loop = Schedulers.fromExecutorService(ConnectionGuard.channel(request).eventLoop());
    Mono<Optional<RecentPlaces.Place>> place =
        Mono.fromFuture(endpoint::places).map(places -> Optional.ofNullable(places.of(ticket)));
    Mono<Optional<WaitingTicket>> waiting =
        Mono.create(sink -> tickets.look(endpoint, ticket, sink::success));
    return Mono.zip(place, waiting)
        .publishOn(loop)
        .timeout(OWNER_TIMEOUT, loop)
        .map(both -> new Standing(both.getT1(), both.getT2().map(RequestAnswer::cause)))
        .onErrorReturn(TimeoutException.class, Standing.UNKNOWN)
        .flatMap(standing -> send(exchange, requestId, HttpStatus.OK, shown(found, standing)));
  }

  private static @Nullable BindingLimit cause(WaitingTicket waiting) {
    return waiting.explanation().binding();
  }

  private Map<String, Object> shown(TrackedRequest request, Standing standing) {
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("id", request.requestId());
    shown.put("endpoint", request.path());
    long now = ticker.nanos();
    switch (request.state()) {
      case TrackedRequest.Arriving arriving -> shown.put("state", "arriving");
      case TrackedRequest.Waiting(Endpoint endpoint, ParkedTicket ticket) -> {
        shown.put("state", "waiting");
        shown.put("waited_ms", millis(now - ticket.arrivedNanos()));
        show(shown, standing);
      }
      case TrackedRequest.Running running -> {
        shown.put("state", "running");
        shown.put("queued_ms", millis(running.queuedNanos()));
        shown.put("running_ms", millis(now - running.sinceNanos()));
        shown.put("upstream", running.upstream());
      }
      case TrackedRequest.Ended(TrackedRequest.Answer answer, long queuedNanos, long atNanos) -> {
        shown.put("state", outcome(answer));
        shown.put("queued_ms", millis(queuedNanos));
        shown.put("ended_ms", millis(now - atNanos));
        shown.put("status", answer.status() == 0 ? null : answer.status());
        shown.put("reason", answer.reason());
      }
    }
    return shown;
  }

  private static void show(Map<String, Object> shown, Standing standing) {
    RecentPlaces.Place place = standing.place().orElse(null);
    WaitForecast expected = place == null ? WaitForecast.UNKNOWN : place.expected();
    shown.put("position", place == null ? null : place.position());
    shown.put("expected_ms", expected.known() ? millis(expected.waitNanos()) : null);
    shown.put("bound", expected.bound());
    BindingLimit binding = standing.cause().orElse(null);
    shown.put("waits_for", binding == null ? null : lower(binding.cause()));
    LimitId.Kind kind = binding == null ? null : binding.kind();
    shown.put("of", kind == null ? null : lower(kind));
  }

  private static String outcome(TrackedRequest.Answer answer) {
    if (answer.status() == 0) {
      return "cancelled";
    }
    return answer.reason() == null ? "answered" : "refused";
  }

  private static Map<String, Object> unknown() {
    Map<String, Object> problem = new LinkedHashMap<>();
    problem.put("type", "about:blank");
    problem.put("title", "Not Found");
    problem.put("status", HttpStatus.NOT_FOUND.value());
    problem.put("detail", NOT_FOUND);
    return problem;
  }

  private static Mono<Void> send(
      ServerWebExchange exchange, String requestId, HttpStatus status, Map<String, Object> body) {
    byte[] bytes = JsonMapper.shared().writeValueAsBytes(body);
    ServerHttpResponse response = exchange.getResponse();
    response.setStatusCode(status);
    HttpHeaders headers = response.getHeaders();
    headers.set(HeaderNames.REQUEST_ID, requestId);
    headers.setContentType(
        status.isError() ? MediaType.APPLICATION_PROBLEM_JSON : MediaType.APPLICATION_JSON);
    headers.setCacheControl("no-store");
    headers.setContentLength(bytes.length);
    return response.writeWith(Mono.just(response.bufferFactory().wrap(bytes)));
  }

  private static long millis(long nanos) {
    return Math.max(0, nanos) / MILLI;
  }

  private static String lower(Enum<?> name) {
    return name.name().toLowerCase(Locale.ROOT);
  }
}
