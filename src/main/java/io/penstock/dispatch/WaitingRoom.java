package io.penstock.dispatch;

import io.penstock.queue.QueueDiscipline;
import io.penstock.queue.QueueOrder;
import io.penstock.queue.TicketQueue;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All waiting tickets of one endpoint: those in the queue, spread over its lanes, and the blocked
 * ones that wait for a place there. It keeps the lanes, the deadlines and the sums in step with
 * each other. Only the owner of the queue may use it.
 */
public final class WaitingRoom {
  private final RouteSource routeSource;
  private final TicketDeadlines ticketDeadlines = new TicketDeadlines();
  private final ArrivalOrder arrivalOrder = new ArrivalOrder();
  private final QueueBacklog queueBacklog = new QueueBacklog();
  private final QueueOverflow queueOverflow = new QueueOverflow();
  private final LaneIndex laneIndex;
  private QueueDiscipline<ParkedTicket> queueDiscipline;

  WaitingRoom(Object owner, RouteSource routeSource, WaitRecorder recorder) {
    this.routeSource = routeSource;
    this.laneIndex = new LaneIndex(owner, routeSource, recorder);
    this.queueDiscipline = routeSource.discipline();
  }

  TicketDeadlines deadlines() {
    return ticketDeadlines;
  }

  /** Returns the sums over the tickets in the queue. */
  QueueBacklog backlog() {
    return queueBacklog;
  }

  /** Returns the blocked tickets, which wait for a place in the queue. */
  QueueOverflow overflow() {
    return queueOverflow;
  }

  LaneIndex lanes() {
    return laneIndex;
  }

  /** Returns how many tickets wait, in the queue or for a place there. */
  public long tickets() {
    return queueBacklog.tickets() + queueOverflow.tickets();
  }

  /** Returns the order in which tickets go. */
  QueueDiscipline<ParkedTicket> discipline() {
    return queueDiscipline;
  }

  /** Sets another order; the caller must reorder the lanes. */
  void discipline(QueueDiscipline<ParkedTicket> next) {
    queueDiscipline = next;
  }

  /** Registers a ticket that has just arrived, before it is in the queue or blocked. */
  void enter(ParkedTicket parkedTicket, List<TicketRoute> ways) {
    parkedTicket.enter(queueDiscipline);
    parkedTicket.counted = AdmissionCheck.counted(ways, parkedTicket);
    arrivalOrder.add(parkedTicket, queueBacklog.tickets() + queueOverflow.tickets());
    ticketDeadlines.add(parkedTicket);
  }

  /** Returns the routes of a ticket that waits, or is about to. */
  public List<TicketRoute> ways(ParkedTicket parkedTicket, long now) {
    return parkedTicket.lane() instanceof Lane lane && parkedTicket.queued()
        ? lane.routes()
        : laneIndex.ways(parkedTicket.laneKey(), now);
  }

  /** Puts a registered ticket into the queue. */
  Lane enqueue(ParkedTicket parkedTicket, long now) {
    Lane lane = laneIndex.of(parkedTicket.laneKey(), queueDiscipline, now);
    lane.add(parkedTicket, now);
    queueBacklog.add(parkedTicket);
    if (queueDiscipline.order() != QueueOrder.FIFO || parkedTicket.carried() != null) {
      // a new ticket of a FIFO queue comes before no other
      laneIndex.all().forEach(each -> each.yieldTo(parkedTicket));
    }
    return lane;
  }

  /**
   * Returns whether a ticket may wait for a place in the queue: fewer are blocked than may be, and
   * an empty queue would have room for it.
   */
  boolean mayBlock(ParkedTicket parkedTicket) {
    return queueOverflow.tickets() < routeSource.maxBlocked()
        && AdmissionCheck.full(routeSource.bounds(), new QueueBacklog(), parkedTicket) == null;
  }

  /** Blocks a ticket: it waits for a place in the queue. */
  void block(ParkedTicket parkedTicket) {
    queueOverflow.add(parkedTicket);
    ticketDeadlines.add(parkedTicket);
  }

  /**
   * Removes a ticket, wherever it waits; if it was {@code passed}, that is granted, it skipped the
   * tickets before it.
   */
  void remove(ParkedTicket parkedTicket, boolean passed) {
    ticketDeadlines.remove(parkedTicket);
    if (parkedTicket.blocked()) {
      queueOverflow.remove(parkedTicket);
    } else {
      leaveLane(parkedTicket, passed);
    }
  }

  /** Removes a ticket from its lane and the queue, but leaves its deadlines as they are. */
  void leaveLane(ParkedTicket parkedTicket, boolean passed) {
    if (!(parkedTicket.lane() instanceof Lane lane)) {
      throw new IllegalStateException("ticket " + parkedTicket.order() + " has no lane");
    }
    lane.remove(parkedTicket, passed);
    queueBacklog.remove(parkedTicket);
    if (lane.tickets().size() == 0) {
      laneIndex.remove(lane);
      queueDiscipline.retire(lane.tickets());
    }
  }

  /**
   * Lets tickets go to the upstream they avoid after all, where no other is available any more;
   * returns whether there were any.
   */
  boolean stopAvoidingInVain(long now) {
    boolean any = false;
    for (Lane lane : laneIndex.avoiding()) {
      if (!AdmissionCheck.anyAvailable(lane.routes(), now)) {
        lane.tickets().forEach(each -> move(each, each.laneKey().avoidingNone(), now));
        any = true;
      }
    }
    return any;
  }

  /** Moves a ticket to the lane of {@code next}, where it has not been skipped yet. */
  private void move(ParkedTicket parkedTicket, LaneKey next, long now) {
    leaveLane(parkedTicket, false);
    parkedTicket.setLaneKey(next);
    enqueue(parkedTicket, now);
  }

  /**
   * Publishes the first tickets of the lanes anew: settled usage may have changed the order
   * although no ticket arrived or left.
   */
  void moved() {
    if (queueDiscipline.settles()) {
      laneIndex.all().forEach(Lane::show);
    }
  }

  /** Returns when the longest-waiting ticket arrived; NEVER when none waits. */
  public long oldestNanos() {
    ParkedTicket oldest = arrivalOrder.first();
    return oldest == null ? Ticker.NEVER : oldest.arrivedNanos();
  }

  /**
   * Returns a supplier of the waiting tickets, in the order in which they would go if everything
   * fitted, and of null at the end. Nothing may change while it is in use.
   */
  public Supplier<@Nullable ParkedTicket> inTurn() {
    List<TicketQueue<ParkedTicket>> queues = new ArrayList<>(laneIndex.all().size());
    laneIndex.all().forEach(lane -> queues.add(lane.tickets()));
    Supplier<@Nullable ParkedTicket> queued = queueDiscipline.inTurn(queues);
    Iterator<ParkedTicket> blocked = queueOverflow.iterator();
    return () -> {
      ParkedTicket next = queued.get();
      return next == null && blocked.hasNext() ? blocked.next() : next;
    };
  }
}
