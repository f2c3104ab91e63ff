package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.quota.Quota;
import io.penstock.quota.TicketBatch;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how long tickets will wait if nothing comes from outside: in a short queue by a {@link
 * DryRun} of the dispatcher, and in a long one by a {@link VirtualRun} of the tickets ahead, as if
 * they went strictly in turn. An instance estimates the waits of tickets that go one after the
 * other; it is used by one thread at a time.
 *
 * <p>Answers are expected to use what is reserved for them. An estimate that depends on when they
 * end, or on others that spend a limit, is a lower bound as long as nothing is given back.
 */
public final class WaitEstimate {
  private final VirtualRun run;

  public WaitEstimate(long now) {
    this.run = new VirtualRun(now);
  }

  /** Returns how long the next ticket will wait. */
  public WaitForecast ofNext(ParkedTicket parkedTicket, List<TicketRoute> routes) {
    WaitForecast forecast = run.next(routes, TicketBatch.ofEqual(1, sizes(parkedTicket)));
    return parkedTicket.lane() instanceof Lane lane
        ? labelled(forecast, routes, lane.endpoint())
        : forecast;
  }

  /**
   * Labels a forecast as a bound if tickets of other endpoints wait for the same quotas: which of
   * them go first is not known here.
   */
  private static WaitForecast labelled(
      WaitForecast forecast, List<TicketRoute> routes, Object endpoint) {
    boolean certain = !forecast.known() || forecast.bound() || forecast.waitNanos() == 0;
    return certain || routes.stream().noneMatch(route -> route.othersWait(endpoint))
        ? forecast
        : new WaitForecast(forecast.waitNanos(), true);
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
    boolean alone = waitingRoom.tickets() == 0;
    DimensionSizes own = sizes(arrived);
    if (alone && anyAdmits(routes, own, now)) {
      return WaitForecast.NONE; // the usual case costs no run
    }
    WaitForecast dry = DryRun.ofArrival(arrived, waitingRoom, now);
    if (dry != null) {
      return dry;
    }
    List<TicketRoute> all = waitingRoom.laterRoutesOf(arrived, routes, now);
    WaitForecast inTurn = ofArrivalInTurn(arrived, all, waitingRoom, null, now);
    return inTurn.known() && inTurn.waitNanos() > arrived.refusesAboveNanos()
        ? unlessItOvertakes(inTurn, arrived, all, waitingRoom, now)
        : inTurn;
  }

  /**
   * Returns how long an arrived ticket waits if the tickets before it go strictly in turn.
   *
   * @param within only tickets of at most these sizes count; null when all do
   */
  private static WaitForecast ofArrivalInTurn(
      ParkedTicket arrived,
      List<TicketRoute> routes,
      WaitingRoom waitingRoom,
      @Nullable DimensionSizes within,
      long now) {
    VirtualRun run = new VirtualRun(now);
    WaitingGroups groups = new WaitingGroups(arrived, lanes(waitingRoom), run);
    addWaiting(groups, arrived, routes, waitingRoom, within, Long.MIN_VALUE);
    return labelled(
        run.behind(groups.all(), routes, TicketBatch.ofEqual(1, sizes(arrived))),
        routes,
        waitingRoom.lanes().endpoint());
  }

  /** Returns a part of the looks that are left, so that later steps of an estimate have some. */
  private static int part(WaitingRoom waitingRoom) {
    return waitingRoom.lanes().lookCount().left() / 2;
  }

  /**
   * Returns a wait that is too long, or a lower bound if the ticket may go before larger ones: only
   * those that it cannot overtake are a reason to refuse it.
   */
  private static WaitForecast unlessItOvertakes(
      WaitForecast inTurn,
      ParkedTicket arrived,
      List<TicketRoute> routes,
      WaitingRoom waitingRoom,
      long now) {
    WaitForecast least = ofArrivalInTurn(arrived, routes, waitingRoom, sizes(arrived), now);
    return least.known() && least.waitNanos() < inTurn.waitNanos()
        ? new WaitForecast(least.waitNanos(), true)
        : inTurn;
  }

  private static int lanes(WaitingRoom waitingRoom) {
    return waitingRoom.lanes().all().size();
  }

  private static boolean anyAdmits(List<TicketRoute> routes, DimensionSizes own, long now) {
    for (TicketRoute route : routes) {
      if (route.admits(own, now) && route.paceAllowsAt(own, now) <= now) {
        return true;
      }
    }
    return false;
  }

  /**
   * Adds the tickets that go before one that arrives; those that have to leave by {@code leavingBy}
   * do not count.
   *
   * @param within only tickets of at most these sizes count; null when all do
   */
  private static void addWaiting(
      WaitingGroups groups,
      ParkedTicket arrived,
      List<TicketRoute> routes,
      WaitingRoom waitingRoom,
      @Nullable DimensionSizes within,
      long leavingBy) {
    int most = part(waitingRoom);
    boolean all =
        waitingRoom.ahead(
            arrived,
            within,
            leavingBy,
            most,
            (lane, batch) ->
                groups.add(lane.key(), lane.routes(), batch, lane.tickets().resting()));
    if (!all) {
      groups.leaveOut();
    }
    groups.addBlocked(routes, waitingRoom.blockedAhead(arrived, part(waitingRoom)));
  }

  /** Adds the refused tickets that are expected back. */
  private static void addExpected(
      WaitingGroups groups,
      Map<LaneKey, QueueBacklog> expected,
      WaitingRoom waitingRoom,
      long now) {
    int left = part(waitingRoom);
    for (Map.Entry<LaneKey, QueueBacklog> each : expected.entrySet()) {
      if (left-- == 0) {
        groups.leaveOut();
        break;
      }
      waitingRoom.lanes().lookCount().add(1);
      List<TicketRoute> routes = waitingRoom.lanes().routesOf(each.getKey(), now);
      groups.add(each.getKey(), routes, each.getValue().batch(), false);
    }
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
    VirtualRun run = new VirtualRun(now);
    Map<LaneKey, QueueBacklog> expected = promised.byLane();
    WaitingGroups groups = new WaitingGroups(refused, lanes(waitingRoom) + expected.size(), run);
    addWaiting(groups, refused, routes, waitingRoom, null, now);
    addExpected(groups, expected, waitingRoom, now);
    return run.behind(groups.all(), routes, TicketBatch.ofEqual(1, sizes(refused)));
  }

  /**
   * Returns how long it takes until a full queue has a place for a ticket that has just been
   * refused: the places that are freed before it go to the refused tickets that are expected back.
   */
  static WaitForecast ofPlace(
      ParkedTicket refused,
      List<TicketRoute> routes,
      WaitingRoom waitingRoom,
      PromisedReturns promised,
      long now) {
    VirtualRun run = new VirtualRun(now);
    Map<LaneKey, QueueBacklog> expected = promised.byLane();
    WaitingGroups groups = new WaitingGroups(refused, expected.size(), run);
    addExpected(groups, expected, waitingRoom, now);
    return run.behind(groups.all(), routes, TicketBatch.ofEqual(1, sizes(refused)));
  }

  /**
   * Returns how long a small request will wait if {@code tickets} with that many tokens go first;
   * unknown when there is no route.
   */
  public static WaitForecast ofSmallRequest(
      List<TicketRoute> routes, long tickets, long tokens, long now) {
    VirtualRun run = new VirtualRun(now);
    List<VirtualRun.Group> ahead =
        tickets == 0
            ? List.of()
            : List.of(new VirtualRun.Group(routes, QueueBacklog.of(tickets, tokens).batch()));
    DimensionSizes one = new DimensionSizes();
    one.setAll(1);
    return run.behind(ahead, routes, TicketBatch.ofEqual(1, one));
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
