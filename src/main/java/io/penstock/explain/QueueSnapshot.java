package io.penstock.explain;

import io.penstock.dispatch.Dispatcher;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.QueuePlace;
import io.penstock.dispatch.TicketRoute;
import io.penstock.dispatch.WaitEstimate;
import io.penstock.dispatch.WaitingRoom;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The first waiting tickets of an endpoint at an instant. The owner of the queue only takes the
 * list, so that it loses little time; the conclusions are drawn on the thread that asked.
 */
public final class QueueSnapshot {
  /** Most tickets that are counted to find the place of one. */
  static final int FARTHEST = 2_000;

  private record Seen(ParkedTicket ticket, List<TicketRoute> routes) {}

  private final long nanos;
  private final boolean paused;
  private final List<Seen> seen = new ArrayList<>();

  private QueueSnapshot(long nanos, boolean paused) {
    this.nanos = nanos;
    this.paused = paused;
  }

  /**
   * Returns the first {@code most} waiting tickets, or those up to a given one.
   *
   * @param until the last ticket to include, or null
   */
  public static QueueSnapshot of(
      Dispatcher dispatcher, int most, @Nullable ParkedTicket until, long now) {
    QueueSnapshot queueSnapshot = new QueueSnapshot(now, dispatcher.paused());
    WaitingRoom waitingRoom = dispatcher.waitingRoom();
    Supplier<@Nullable ParkedTicket> inTurn = waitingRoom.inTurn();
    ParkedTicket each = inTurn.get();
    for (int at = 0; each != null && at < most; at++) {
      if (each.shadow() == null) {
        queueSnapshot.seen.add(new Seen(each, waitingRoom.routesOf(each, now)));
      }
      each = each == until ? null : inTurn.get();
    }
    return queueSnapshot;
  }

  /** Returns when it was taken. */
  public long nanos() {
    return nanos;
  }

  /** Returns the tickets in order, and how long each will wait. */
  public List<QueuePlace> places() {
    List<QueuePlace> all = new ArrayList<>(seen.size());
    WaitEstimate waitEstimate = new WaitEstimate(nanos);
    for (Seen each : seen) {
      long expected = waitEstimate.ofNext(each.ticket(), each.routes());
      all.add(new QueuePlace(each.ticket(), all.size() + 1, paused ? Ticker.NEVER : expected));
    }
    return all;
  }

  /** Returns the place of a ticket; with position 0 when it is not among these. */
  QueuePlace of(ParkedTicket parkedTicket) {
    boolean present = !seen.isEmpty() && seen.getLast().ticket() == parkedTicket;
    return present ? places().getLast() : new QueuePlace(parkedTicket, 0, Ticker.NEVER);
  }
}
