package io.penstock.explain;

import io.penstock.dispatch.Dispatcher;
import io.penstock.dispatch.DryRun;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.WaitEstimate;
import io.penstock.dispatch.WaitForecast;
import io.penstock.dispatch.WaitingRoom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The first waiting tickets of an endpoint at an instant. The owner of the queue only takes the
 * list, so that it loses little time; the conclusions are drawn on the thread that asked.
 */
public final class QueueSnapshot {
  /** Most tickets that are listed: with as many lanes as there may be, 2,000 looks. */
  static final int FARTHEST = 1_600;

  private final long nanos;
  private final boolean paused;
  private final List<WaitingTicket> tickets = new ArrayList<>();

  /** The whole queue, if it is short enough for exact forecasts. */
  private @Nullable DryRun dryRun;

  private QueueSnapshot(long nanos, boolean paused) {
    this.nanos = nanos;
    this.paused = paused;
  }

  /**
   * Returns the first {@code most} waiting tickets, at most {@value #FARTHEST}.
   *
   * @param undecided tickets that are not in the queue yet; they come last
   */
  public static QueueSnapshot of(
      Dispatcher dispatcher, List<ParkedTicket> undecided, int most, long now) {
    QueueSnapshot snapshot = of(dispatcher, most, null, now);
    for (ParkedTicket each : undecided) {
      if (snapshot.tickets.size() < Math.min(most, FARTHEST) && each.shadow() == null) {
        snapshot.tickets.add(snapshot.waiting(each, dispatcher.waitingRoom()));
      }
    }
    return snapshot;
  }

  /** Returns one ticket, and the tickets before it. */
  public static WaitingTicket ofTicket(Dispatcher dispatcher, ParkedTicket ticket, long now) {
    return of(dispatcher, FARTHEST, ticket, now).waiting(ticket, dispatcher.waitingRoom());
  }

  /** Returns one ticket without its place, which takes no walk through the queue. */
  public static WaitingTicket alone(Dispatcher dispatcher, ParkedTicket ticket, long now) {
    return new QueueSnapshot(now, dispatcher.paused()).waiting(ticket, dispatcher.waitingRoom());
  }

  private static QueueSnapshot of(
      Dispatcher dispatcher, int most, @Nullable ParkedTicket until, long now) {
    QueueSnapshot snapshot = new QueueSnapshot(now, dispatcher.paused());
    WaitingRoom waitingRoom = dispatcher.waitingRoom();
    snapshot.dryRun = dispatcher.paused() ? null : waitingRoom.dryRun(now);
    Supplier<@Nullable ParkedTicket> inTurn = waitingRoom.inTurn();
    ParkedTicket each = inTurn.get();
    for (int at = 0; each != null && at < Math.min(most, FARTHEST); at++) {
      if (each.shadow() == null) {
        snapshot.tickets.add(snapshot.waiting(each, waitingRoom));
      }
      each = each == until ? null : inTurn.get();
    }
    return snapshot;
  }

  private WaitingTicket waiting(ParkedTicket ticket, WaitingRoom waitingRoom) {
    return new WaitingTicket(
        this, ticket, waitingRoom.routesOf(ticket, nanos), ticket.blocked(), !ticket.waits());
  }

  /** Returns when it was taken. */
  public long nanos() {
    return nanos;
  }

  /** Returns whether releases were stopped. */
  boolean paused() {
    return paused;
  }

  /** Returns the tickets in order, and how long each will wait. */
  public List<QueuePlace> places() {
    List<QueuePlace> all = new ArrayList<>(tickets.size());
    Map<ParkedTicket, WaitForecast> exact = dryRun == null ? Map.of() : dryRun.forecasts();
    WaitEstimate waitEstimate = new WaitEstimate(nanos);
    for (WaitingTicket each : tickets) {
      boolean unknown = paused || each.undecided();
      WaitForecast expected = unknown ? WaitForecast.UNKNOWN : exact.get(each.ticket());
      all.add(
          new QueuePlace(
              each.ticket(),
              each.undecided() ? 0 : all.size() + 1,
              expected == null ? waitEstimate.ofNext(each.ticket(), each.routes()) : expected));
    }
    return all;
  }

  /** Returns the tickets in order. */
  public List<WaitingTicket> tickets() {
    return List.copyOf(tickets);
  }

  /** Returns the place of a ticket; with position 0 when it is not among these. */
  QueuePlace placeOf(ParkedTicket ticket) {
    boolean present = !tickets.isEmpty() && tickets.getLast().ticket() == ticket;
    return present ? places().getLast() : new QueuePlace(ticket, 0, WaitForecast.UNKNOWN);
  }
}
