package io.penstock.endpoint;

import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask of tickets. Safe from any thread.
 *
 * <p>Who is told may be told on the thread of a queue's owner, which is not to be kept.
 */
public final class Tickets {
  private static final Refusal REMOVED =
      Refusal.of(Reason.REMOVED_BY_OPERATOR, "an operator removed the request from the queue");

  /** What came of a removal. */
  public enum Removal {
    /** It waited, and was refused. */
    REMOVED,
    /** It was there, and does not wait any more. */
    GONE,
    /** There never was one of that number. */
    UNKNOWN
  }

  private final Registry registry;
  private final Endpoint.House house;

  Tickets(Registry registry, Endpoint.House house) {
    this.registry = registry;
    this.house = house;
  }

  /** Tells who waits at an endpoint: the first {@code most}. */
  public void list(Endpoint endpoint, int most, Consumer<Sight> told) {
    endpoint.atWork((dispatcher, now) -> told.accept(Sight.of(dispatcher, most, null, now)));
  }

  /**
   * Tells what is known of a ticket; nothing of one that is unknown or forgotten.
   *
   * @param id its number, or the id of its request; of several with that, the one that came last
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
                    house.roll().find(pending.order()) == pending
                        ? Optional.of(Look.of(dispatcher, pending, now))
                        : Optional.ofNullable(past(id, number))));
  }

  /** A number that is remembered is not the id of a request. */
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

  /** Returns the number that is written, -1 when it is none. */
  private static long number(String id) {
    return id.matches("0|[1-9][0-9]{0,17}") ? Long.parseLong(id) : -1;
  }

  /**
   * Refuses a ticket that waits, and tells what came of it.
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
