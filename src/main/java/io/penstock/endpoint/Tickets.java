package io.penstock.endpoint;

import io.penstock.queue.Ticket.State;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations of operators on tickets: listing, finding and removing them. Safe from any thread.
 *
 * <p>The consumers of answers may be called by the owner of a queue, and must not block it.
 */
public final class Tickets {
  private static final Refusal REMOVED =
      Refusal.of(Reason.REMOVED_BY_OPERATOR, "an operator removed the request from the queue");

  /** Outcome of a removal. */
  public enum Removal {
    /** The ticket waited, and was refused. */
    REMOVED,
    /** The ticket existed, and does not wait any more. */
    GONE,
    /** There never was a ticket with that number. */
    UNKNOWN
  }

  private final Registry registry;
  private final Endpoint.House house;

  Tickets(Registry registry, Endpoint.House house) {
    this.registry = registry;
    this.house = house;
  }

  /** Gives the first {@code most} waiting tickets of an endpoint to {@code told}. */
  public void list(Endpoint endpoint, int most, Consumer<Sight> told) {
    endpoint.atWork((dispatcher, now) -> told.accept(Sight.of(dispatcher, most, null, now)));
  }

  /**
   * Gives the ticket that is next in turn at an endpoint to {@code told}; nothing if none waits.
   */
  public void next(Endpoint endpoint, Consumer<Optional<Look>> told) {
    endpoint.atWork(
        (dispatcher, now) -> {
          Pending next = dispatcher.parked().inTurn().get();
          told.accept(Optional.ofNullable(next).map(each -> Look.of(dispatcher, each, now)));
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
    return house.roll().ages(below, now);
  }

  /**
   * Gives what is known of a ticket to {@code told}; nothing if it is unknown or forgotten.
   *
   * @param id its number, or the id of its request; among several with that id the latest counts
   */
  public void find(String id, Consumer<Optional<Known>> told) {
    long number = number(id);
    Pending numbered = number < 0 ? null : house.roll().find(number);
    Pending pending = numbered == null ? waitingFor(id, number) : numbered;
    if (pending == null) {
      told.accept(Optional.ofNullable(past(id, number)));
      return;
    }
    pending
        .endpoint()
        .atWork(
            (dispatcher, now) ->
                told.accept(
                    pending.state() == State.PARKED
                        ? Optional.of(Look.of(dispatcher, pending, now))
                        : Optional.ofNullable(past(id, number))));
  }

  /**
   * Returns the waiting ticket of a request id, unless the id is the number of a recorded ticket.
   */
  private @Nullable Pending waitingFor(String requestId, long number) {
    boolean numbered = number >= 0 && last(past -> past.number() == number) != null;
    return numbered ? null : house.roll().find(requestId);
  }

  private @Nullable Past past(String id, long number) {
    Past numbered = number < 0 ? null : last(past -> past.number() == number);
    return numbered == null ? last(past -> id.equals(past.origin().requestId())) : numbered;
  }

  private @Nullable Past last(Predicate<Past> which) {
    Past last = null;
    for (Endpoint endpoint : registry.all()) {
      Past found = endpoint.lately().last(which);
      last = found != null && (last == null || last.number() < found.number()) ? found : last;
    }
    return last;
  }

  /** Returns the number that is written, or -1 when it is none. */
  private static long number(String id) {
    return id.matches("0|[1-9][0-9]{0,17}") ? Long.parseLong(id) : -1;
  }

  /**
   * Refuses a waiting ticket, and gives the outcome to {@code told}.
   *
   * @param id its number
   */
  public void remove(String id, Consumer<Removal> told) {
    long number = number(id);
    Pending pending = number < 0 ? null : house.roll().find(number);
    if (pending != null) {
      pending
          .endpoint()
          .atWork(
              (dispatcher, now) ->
                  told.accept(
                      dispatcher.throwOut(pending, REMOVED, now) ? Removal.REMOVED : Removal.GONE));
    } else {
      boolean was = number >= 0 && number < house.arrivals().get();
      told.accept(was ? Removal.GONE : Removal.UNKNOWN);
    }
  }
}
