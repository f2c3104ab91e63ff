package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketRequest;
import io.penstock.explain.HeldRequest;
import io.penstock.explain.KeptRefusals;
import io.penstock.explain.PastTicket;
import io.penstock.explain.QueueSnapshot;
import io.penstock.explain.TicketRecord;
import io.penstock.explain.WaitingTicket;
import io.penstock.queue.Ticket.State;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Operations of operators on tickets: listing, finding and removing them. Safe from any thread.
 *
 * <p>The consumers of answers may be called by the owner of a queue, and must not block it.
 */
public final class TicketOperations {
  private static final Refusal REMOVED =
      Refusal.of(
          RefusalReason.REMOVED_BY_OPERATOR, "an operator removed the request from the queue");

  /** Outcome of a removal. */
  public enum Removal {
    /** The ticket waited, and was refused. */
    REMOVED,
    /** The ticket existed, and does not wait any more. */
    GONE,
    /** There never was a ticket with that number. */
    UNKNOWN
  }

  private final EndpointRegistry registry;
  private final EndpointServices services;

  TicketOperations(EndpointRegistry registry, EndpointServices services) {
    this.registry = registry;
    this.services = services;
  }

  /** Gives the first {@code most} waiting tickets of an endpoint to {@code receiver}. */
  public void list(Endpoint endpoint, int most, Consumer<QueueSnapshot> receiver) {
    endpoint.runAsOwner(
        (dispatcher, now) ->
            receiver.accept(QueueSnapshot.of(dispatcher, endpoint.undecided(), most, now)));
  }

  /** Returns the requests that are held at an endpoint outside of its queue, the oldest first. */
  public List<HeldRequest> held(Endpoint endpoint) {
    return services.directory().held().stream()
        .filter(each -> each.asked().endpoint().equals(endpoint.path()) && each.by().get() != null)
        .sorted(Comparator.comparingLong(HeldRequest::sinceNanos))
        .toList();
  }

  /**
   * Gives the ticket that is next in turn at an endpoint to {@code receiver}; nothing if none
   * waits.
   */
  public void next(Endpoint endpoint, Consumer<Optional<WaitingTicket>> receiver) {
    endpoint.runAsOwner(
        (dispatcher, now) -> {
          ParkedTicket inTurn = dispatcher.waitingRoom().inTurn().get();
          List<ParkedTicket> undecided = inTurn == null ? endpoint.undecided() : List.of();
          ParkedTicket next = undecided.isEmpty() ? inTurn : undecided.getFirst();
          receiver.accept(
              Optional.ofNullable(next).map(each -> QueueSnapshot.ofTicket(dispatcher, each, now)));
        });
  }

  /**
   * Returns, for each endpoint with waiting tickets, how many have waited for less than the first
   * time, how many of the others for less than the second, and so on; the last number counts the
   * rest.
   *
   * @param below times in nanoseconds, ascending
   */
  public Map<String, List<Integer>> ages(List<Long> below, long now) {
    return services.directory().ages(below, now);
  }

  /**
   * Gives what is known of a ticket to {@code receiver}; nothing if it is unknown or forgotten.
   *
   * @param id its number, or the id of its request; among several with that id the latest counts
   */
  public void find(String id, Consumer<Optional<TicketRecord>> receiver) {
    long number = number(id);
    TicketDirectory.Waiting numbered = number < 0 ? null : services.directory().find(number);
    TicketDirectory.Waiting waiting = numbered == null ? waitingFor(id, number) : numbered;
    if (waiting == null) {
      Optional<TicketRecord> held =
          services.directory().held().stream()
              .filter(each -> id.equals(each.origin().requestId()) && each.by().get() != null)
              .findAny()
              .map(each -> each);
      receiver.accept(held.or(() -> Optional.ofNullable(past(id, number))));
      return;
    }
    ParkedTicket parkedTicket = waiting.ticket();
    waiting
        .endpoint()
        .runAsOwner(
            (dispatcher, now) ->
                receiver.accept(
                    parkedTicket.state() == State.PARKED
                        ? Optional.of(QueueSnapshot.ofTicket(dispatcher, parkedTicket, now))
                        : Optional.ofNullable(past(id, number))));
  }

  /**
   * Returns the waiting ticket of a request id, unless the id is the number of a recorded ticket.
   */
  private TicketDirectory.@Nullable Waiting waitingFor(String requestId, long number) {
    boolean numbered = number >= 0 && last(pastTicket -> pastTicket.number() == number) != null;
    return numbered ? null : services.directory().find(requestId);
  }

  private @Nullable PastTicket past(String id, long number) {
    PastTicket numbered = number < 0 ? null : last(pastTicket -> pastTicket.number() == number);
    Predicate<PastTicket> ofRequest = past -> id.equals(past.origin().requestId());
    PastTicket known = numbered == null ? last(ofRequest) : numbered;
    if (known != null) {
      return known;
    }
    long now = services.ticker().nanos();
    KeptRefusals refusals = services.directory().refusals();
    PastTicket refused =
        number < 0 ? null : refusals.last(pastTicket -> pastTicket.number() == number, now);
    return refused == null ? refusals.last(ofRequest, now) : refused;
  }

  /** Returns which keys were refused most in the last hour, and for which reasons. */
  public List<KeptRefusals.Sum> refusedMost(int most) {
    return services.directory().refusals().largest(most, services.ticker().nanos());
  }

  /** Returns how many requests of a key were refused in the last hour, by reason. */
  public Map<String, Long> refusedOfKey(String name) {
    return services.directory().refusals().ofKey(name, services.ticker().nanos());
  }

  /** Records the refusal of a request that no endpoint counts. */
  public void refused(TicketRequest.Origin origin, String path, Refusal refusal) {
    long number = services.arrivals().getAndIncrement();
    long now = services.ticker().nanos();
    services
        .directory()
        .refusals()
        .add(PastTicket.turnedAway(number, origin, path, Cost.NO_TOKENS, refusal, now));
  }

  private @Nullable PastTicket last(Predicate<PastTicket> which) {
    PastTicket last = null;
    for (Endpoint endpoint : registry.all()) {
      PastTicket found = endpoint.recentOutcomes().last(which);
      last = found != null && (last == null || last.number() < found.number()) ? found : last;
    }
    return last;
  }

  /** Returns the number that is written, or -1 when it is none. */
  private static long number(String id) {
    return id.matches("0|[1-9][0-9]{0,17}") ? Long.parseLong(id) : -1;
  }

  /**
   * Gives a ticket as it waits to {@code receiver}; nothing if it does not wait. Unlike with {@link
   * #find}, its place is not looked up.
   */
  public void look(
      Endpoint endpoint, ParkedTicket ticket, Consumer<Optional<WaitingTicket>> receiver) {
    endpoint.runAsOwner(
        (dispatcher, now) ->
            receiver.accept(
                ticket.state() == State.PARKED
                    ? Optional.of(QueueSnapshot.alone(dispatcher, ticket, now))
                    : Optional.empty()));
  }

  /** Refuses all waiting tickets of a key; gives their number to {@code receiver}. */
  public void removeOfKey(String name, Consumer<Integer> receiver) {
    removeAll(services.directory().ofKey(name), receiver);
  }

  /** Refuses all waiting tickets of an endpoint; gives their number to {@code receiver}. */
  public void removeAt(String path, Consumer<Integer> receiver) {
    removeAll(services.directory().at(path), receiver);
  }

  private static void removeAll(List<TicketDirectory.Waiting> all, Consumer<Integer> receiver) {
    Map<Endpoint, List<TicketDirectory.Waiting>> byEndpoint =
        all.stream().collect(Collectors.groupingBy(TicketDirectory.Waiting::endpoint));
    AtomicInteger removed = new AtomicInteger();
    AtomicInteger owners = new AtomicInteger(byEndpoint.size());
    if (byEndpoint.isEmpty()) {
      receiver.accept(0);
    }
    byEndpoint.forEach(
        (endpoint, tickets) ->
            endpoint.runAsOwner(
                (dispatcher, now) -> {
                  for (TicketDirectory.Waiting each : tickets) {
                    if (dispatcher.evict(each.ticket(), REMOVED, now)) {
                      removed.incrementAndGet();
                    }
                  }
                  if (owners.decrementAndGet() == 0) {
                    receiver.accept(removed.get());
                  }
                }));
  }

  /**
   * Refuses a waiting ticket, and gives the outcome to {@code receiver}.
   *
   * @param id its number
   */
  public void remove(String id, Consumer<Removal> receiver) {
    long number = number(id);
    TicketDirectory.Waiting waiting = number < 0 ? null : services.directory().find(number);
    if (waiting != null) {
      waiting
          .endpoint()
          .runAsOwner(
              (dispatcher, now) ->
                  receiver.accept(
                      dispatcher.evict(waiting.ticket(), REMOVED, now)
                          ? Removal.REMOVED
                          : Removal.GONE));
    } else {
      boolean existed = number >= 0 && number < services.arrivals().get();
      receiver.accept(existed ? Removal.GONE : Removal.UNKNOWN);
    }
  }
}
