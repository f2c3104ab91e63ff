package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how long tickets will wait: on the route that opens first, where each quota has to let
 * everything go that is ahead there. An instance estimates the waits of tickets that go one after
 * the other; it is used by one thread at a time.
 */
public final class WaitEstimate {
  /** Sums over the tickets that will go first at a quota. */
  @FunctionalInterface
  private interface TicketsAhead {
    QueueBacklog at(TicketRoute route, Quota quota);
  }

  /** Earlier tickets that may take from each quota. */
  private final Map<Quota, QueueBacklog> earlier = new HashMap<>();

  private final long now;

  public WaitEstimate(long now) {
    this.now = now;
  }

  /** Returns how long the next ticket will wait. */
  public WaitForecast ofNext(ParkedTicket parkedTicket, List<TicketRoute> routes) {
    Set<QueueBacklog> competing = new HashSet<>();
    WaitForecast forecast =
        forecast(
            routes,
            (route, quota) -> {
              QueueBacklog ahead = earlier.computeIfAbsent(quota, absent -> new QueueBacklog());
              competing.add(ahead);
              return ahead;
            },
            sizes(parkedTicket),
            now);
    competing.forEach(ahead -> ahead.add(parkedTicket));
    return forecast;
  }

  /**
   * Returns how long a ticket that has just arrived will wait if everything ahead of it goes first.
   * {@link WaitForecast#NONE} when the estimate is not needed, because nothing refuses by it, or
   * when it cannot be made in this order. Only the owner of the queue may call it.
   */
  static WaitForecast ofArrival(
      ParkedTicket arrived, List<TicketRoute> routes, WaitingRoom waitingRoom, long now) {
    if (arrived.refusesAboveNanos() == 0 || !waitingRoom.discipline().foreseeable()) {
      return WaitForecast.NONE;
    }
    QueueBacklog all = waitingRoom.ahead(arrived);
    return forecast(
        routes,
        (route, quota) ->
            quota == route.pool() || quota == route.quotas().getLast()
                ? all
                : waitingRoom.ahead(arrived, quota),
        sizes(arrived),
        now);
  }

  /**
   * Returns how long a ticket that has just been refused would wait if it arrived again at once,
   * behind everything that waits and behind the refused tickets that are expected back. Only the
   * owner of the queue may call it.
   */
  static WaitForecast ofReturn(
      ParkedTicket refused,
      List<TicketRoute> routes,
      WaitingRoom waitingRoom,
      PromisedReturns promised,
      long now) {
    if (!waitingRoom.discipline().foreseeable()) {
      return WaitForecast.UNKNOWN;
    }
    QueueBacklog all = waitingRoom.aheadOnReturn(refused, now);
    all.add(promised.all());
    return forecast(
        routes,
        (route, quota) -> {
          if (quota == route.pool() || quota == route.quotas().getLast()) {
            return all;
          }
          QueueBacklog alike = waitingRoom.ahead(refused, quota);
          promised.addAlike(refused.laneKey(), alike);
          return alike;
        },
        sizes(refused),
        now);
  }

  /**
   * Returns how long it takes until a full queue has a place for a ticket that has just been
   * refused: the places that are freed before it go to the refused tickets that are expected back.
   */
  static WaitForecast ofPlace(
      ParkedTicket refused, List<TicketRoute> routes, PromisedReturns promised, long now) {
    return forecast(routes, (route, quota) -> promised.all(), sizes(refused), now);
  }

  /**
   * Returns how long a small request will wait if {@code tickets} with that many tokens go first;
   * unknown when there is no route.
   */
  public static WaitForecast ofSmallRequest(
      List<TicketRoute> routes, long tickets, long tokens, long now) {
    QueueBacklog all = QueueBacklog.of(tickets, tokens);
    DimensionSizes one = new DimensionSizes();
    one.setAll(1);
    return forecast(routes, (route, quota) -> all, one, now);
  }

  private static WaitForecast forecast(
      List<TicketRoute> routes, TicketsAhead ticketsAhead, DimensionSizes own, long now) {
    long best = Ticker.NEVER;
    boolean bound = false;
    for (TicketRoute route : routes) {
      long wait = 0;
      boolean waitsForAnswers = false;
      for (Quota quota : route.quotas()) {
        QueueBacklog ahead = ticketsAhead.at(route, quota);
        wait = Math.max(wait, quota.forecastNanos(ahead.tickets(), ahead.sizes(), own, now));
        waitsForAnswers |= quota.lacksPermits(ahead.tickets() + 1, now);
      }
      if (wait < best || (wait == best && !waitsForAnswers)) {
        best = wait;
        bound = waitsForAnswers;
      }
    }
    return WaitForecast.of(best, bound);
  }

  /**
   * Returns the sizes with which a ticket counts for those behind it, or null when they are its
   * own. They are capped at the capacity of the limits, because no limit waits for more than that,
   * however much output a request may ask for.
   */
  static @Nullable DimensionSizes countedSizes(
      List<TicketRoute> routes, ParkedTicket parkedTicket) {
    DimensionSizes most = new DimensionSizes();
    most.setAll(0);
    DimensionSizes capacity = new DimensionSizes();
    for (TicketRoute ticketRoute : routes) {
      capacity.reset();
      for (Quota quota : ticketRoute.quotas()) {
        if (!quota.ofKey()) {
          quota.lowerToCapacity(capacity);
        }
      }
      most.raise(capacity);
    }
    parkedTicket.sizesInto(capacity);
    if (most.admits(capacity)) {
      return null;
    }
    most.lower(capacity);
    return most;
  }

  private static DimensionSizes sizes(ParkedTicket parkedTicket) {
    DimensionSizes sizes = new DimensionSizes();
    parkedTicket.sizesInto(sizes);
    return sizes;
  }
}
