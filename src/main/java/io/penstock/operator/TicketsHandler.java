package io.penstock.operator;

import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.TicketOperations.Removal;
import io.penstock.explain.HeldRequest;
import io.penstock.explain.PastTicket;
import io.penstock.explain.QueueSnapshot;
import io.penstock.explain.TicketRecord;
import io.penstock.explain.WaitingTicket;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.SharingView;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import tools.jackson.databind.node.ObjectNode;

/**
 * Shows waiting and recent tickets, explains what they wait for, and removes tickets from queues.
 */
final class TicketsHandler {
  /** Largest number of tickets in one answer. */
  static final int MOST = 1_000;

  private static final int USUAL = 100;

  /** Longest wait for an answer of a queue's owner; an endpoint that takes longer is in trouble. */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.operator");

  private final EndpointRegistry registry;
  private final SharingView sharing;
  private final Ticker ticker;
  private final WallClock clock;

  TicketsHandler(EndpointRegistry registry, SharingView sharing, Ticker ticker, WallClock clock) {
    this.registry = registry;
    this.sharing = sharing;
    this.ticker = ticker;
    this.clock = clock;
  }

  /** Returns the routes of this handler. */
  RouterFunction<ServerResponse> routes() {
    return RouterFunctions.route()
        .GET("/tickets", this::list)
        .GET("/endpoints/waiting", this::reasons)
        .GET("/tickets/{id}", this::show)
        .DELETE("/tickets", this::removeAll)
        .DELETE("/tickets/{id}", this::remove)
        .path("/endpoints/waiting", () -> ProblemAnswer.only("GET"))
        .path("/tickets", () -> ProblemAnswer.only("GET, DELETE"))
        .path("/tickets/{id}", () -> ProblemAnswer.only("GET, DELETE"))
        .build();
  }

  /** Lists the first {@code ?limit=} waiting tickets of {@code ?path=}, in queue order. */
  private Mono<ServerResponse> list(ServerRequest request) {
    Optional<String> path = request.queryParam("path");
    int limit = limit(request.queryParam("limit").orElse(String.valueOf(USUAL)));
    if (path.isEmpty() || limit == 0) {
      return ProblemAnswer.answering(
          HttpStatus.BAD_REQUEST, "?path= is expected, and ?limit= from 1 to " + MOST);
    }
    Endpoint endpoint = registry.at(path.get());
    return endpoint == null
        ? EndpointsHandler.none()
        : askOwner(
                (Consumer<QueueSnapshot> receiver) ->
                    registry.tickets().list(endpoint, limit, receiver))
            .flatMap(queue -> OperatorJson.answer(views(endpoint, queue, limit)))
            .onErrorResume(TimeoutException.class, late -> late());
  }

  /** Returns the requested number of tickets; 0 if it is invalid. */
  private static int limit(String text) {
    int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
    return limit > MOST ? 0 : limit;
  }

  /** Returns what waits in the queue, and then what is held outside of it. */
  private List<ObjectNode> views(Endpoint endpoint, QueueSnapshot queue, int limit) {
    TicketWords words = words();
    return Stream.concat(
            queue.places().stream().map(words::waiting),
            registry.tickets().held(endpoint).stream().map(words::waiting))
        .limit(limit)
        .toList();
  }

  /** Tells why the tickets at {@code ?path=} wait, grouped by reason. */
  private Mono<ServerResponse> reasons(ServerRequest request) {
    Optional<String> path = request.queryParam("path");
    if (path.isEmpty()) {
      return ProblemAnswer.answering(HttpStatus.BAD_REQUEST, "?path= is expected");
    }
    Endpoint endpoint = registry.at(path.get());
    return endpoint == null
        ? EndpointsHandler.none()
        : askOwner(
                (Consumer<QueueSnapshot> receiver) ->
                    registry.tickets().list(endpoint, Integer.MAX_VALUE, receiver))
            .flatMap(
                queue -> {
                  List<HeldRequest> held = registry.tickets().held(endpoint);
                  return OperatorJson.answer(
                      OperatorJson.object()
                          .put("looked_at", queue.tickets().size() + held.size())
                          .set("reasons", words().reasons(endpoint.path(), queue, held)));
                })
            .onErrorResume(TimeoutException.class, late -> late());
  }

  /** Shows one ticket, found by its number or its request id: what it waits for, or its outcome. */
  private Mono<ServerResponse> show(ServerRequest request) {
    String id = request.pathVariable("id");
    return askOwner(
            (Consumer<Optional<TicketRecord>> receiver) -> registry.tickets().find(id, receiver))
        .flatMap(
            known ->
                known.map(this::view).map(OperatorJson::answer).orElseGet(TicketsHandler::none))
        .onErrorResume(TimeoutException.class, late -> late());
  }

  private ObjectNode view(TicketRecord ticketRecord) {
    return switch (ticketRecord) {
      case HeldRequest held -> words().explained(held);
      case WaitingTicket waitingTicket -> words().explained(waitingTicket);
      case PastTicket past -> words().explained(past, disabled(past));
    };
  }

  /**
   * Returns which upstreams are disabled and why, for a ticket that was refused because of that;
   * otherwise an empty text.
   */
  private String disabled(PastTicket past) {
    Refusal refusal = past.refusal();
    Endpoint endpoint = registry.at(past.asked().endpoint());
    if (refusal == null
        || endpoint == null
        || refusal.reason() != RefusalReason.NO_HEALTHY_UPSTREAM
        || !refusal.retryUseless()) {
      return "";
    }
    return endpoint.spec().upstreams().stream()
        .filter(
            each -> each.access().disabledBecause() != null && each.serves(past.asked().model()))
        .map(each -> "; upstream " + each.id() + " is disabled: " + each.access().disabledBecause())
        .collect(Collectors.joining());
  }

  /** Removes one ticket, found by its number only: several tickets may have the same request id. */
  private Mono<ServerResponse> remove(ServerRequest request) {
    String id = request.pathVariable("id");
    return askOwner((Consumer<Removal> receiver) -> registry.tickets().remove(id, receiver))
        .flatMap(
            removal ->
                switch (removal) {
                  case REMOVED -> removed(id);
                  case GONE ->
                      ProblemAnswer.answering(
                          HttpStatus.CONFLICT, "the ticket does not wait any more");
                  case UNKNOWN -> none();
                })
        .onErrorResume(TimeoutException.class, late -> late());
  }

  /**
   * Removes all waiting tickets of {@code ?key=}, or at {@code ?path=}; answers how many there
   * were.
   */
  private Mono<ServerResponse> removeAll(ServerRequest request) {
    Optional<String> key = request.queryParam("key");
    Optional<String> path = request.queryParam("path");
    if (key.isPresent() == path.isPresent()) {
      return ProblemAnswer.answering(
          HttpStatus.BAD_REQUEST, "?key= or ?path= is expected: whose tickets are to be removed");
    }
    if (path.isPresent() && registry.at(path.get()) == null) {
      return EndpointsHandler.none();
    }
    return askOwner(
            (Consumer<Integer> receiver) -> {
              if (key.isPresent()) {
                registry.tickets().removeOfKey(key.get(), receiver);
              } else {
                registry.tickets().removeAt(path.orElseThrow(), receiver);
              }
            })
        .flatMap(
            removed -> {
              LOG.info(
                  "an operator removed {} waiting tickets of {}",
                  removed,
                  key.map(name -> "key " + name).orElseGet(() -> "endpoint " + path.orElseThrow()));
              return OperatorJson.answer(Map.of("removed", removed));
            })
        .onErrorResume(TimeoutException.class, late -> late());
  }

  private static Mono<ServerResponse> removed(String number) {
    LOG.info("an operator removed ticket {} from its queue", number);
    return ServerResponse.noContent().build();
  }

  /**
   * Asks the owner of a queue and continues on another thread, because the owner's thread must not
   * be blocked.
   */
  private static <T> Mono<T> askOwner(Consumer<Consumer<T>> ask) {
    return Mono.<T>create(sink -> ask.accept(sink::success))
        .publishOn(Schedulers.boundedElastic())
        .timeout(PATIENCE)
        .onErrorMap(RejectedExecutionException.class, TicketsHandler::stopped);
  }

  /** Maps the rejection by a stopped owner of queues to a timeout: it will not answer any more. */
  private static TimeoutException stopped(Throwable refused) {
    TimeoutException late = new TimeoutException();
    late.initCause(refused);
    return late;
  }

  private TicketWords words() {
    return new TicketWords(
        new ClockReading(ticker.nanos(), clock.unixMillis()), sharing.outage().get());
  }

  private static Mono<ServerResponse> none() {
    return ProblemAnswer.answering(
        HttpStatus.NOT_FOUND,
        "no ticket has this id, or it went without being refused or waiting for long, or that"
            + " was too long ago");
  }

  private static Mono<ServerResponse> late() {
    return ProblemAnswer.answering(HttpStatus.SERVICE_UNAVAILABLE, "the endpoint does not answer");
  }
}
