package io.penstock.endpoint;

import io.penstock.queue.Discipline;
import io.penstock.queue.Order;
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
final class Parked {
  private final Routes routes;
  private final Deadlines deadlines = new Deadlines();
  private final Elders elders = new Elders();
  private final Backlog backlog = new Backlog();
  private final Overflow overflow = new Overflow();
  private final Lanes lanes;
  private Discipline<Pending> discipline;

  Parked(Dispatcher owner, Routes routes) {
    this.routes = routes;
    this.lanes = new Lanes(owner, routes);
    this.discipline = routes.discipline();
  }

  Deadlines deadlines() {
    return deadlines;
  }

  /** Returns the sums over the tickets in the queue. */
  Backlog backlog() {
    return backlog;
  }

  /** Returns the blocked tickets, which wait for a place in the queue. */
  Overflow overflow() {
    return overflow;
  }

  Lanes lanes() {
    return lanes;
  }

  /** Returns how many tickets wait, in the queue or for a place there. */
  long tickets() {
    return backlog.tickets() + overflow.tickets();
  }

  /** Returns the order in which tickets go. */
  Discipline<Pending> discipline() {
    return discipline;
  }

  /** Sets another order; the caller must reorder the lanes. */
  void discipline(Discipline<Pending> next) {
    discipline = next;
  }

  /** Registers a ticket that has just arrived, before it is in the queue or blocked. */
  void enter(Pending pending, List<Route> ways) {
    pending.enter(discipline);
    pending.counted = Admission.counted(ways, pending);
    elders.add(pending, backlog.tickets() + overflow.tickets());
    deadlines.add(pending);
  }

  /** Returns the routes of a ticket that waits, or is about to. */
  List<Route> ways(Pending pending, long now) {
    Lane lane = pending.lane;
    return lane != null && pending.queued() ? lane.routes() : lanes.ways(pending.facing, now);
  }

  /** Puts a registered ticket into the queue. */
  Lane enqueue(Pending pending, long now) {
    Lane lane = lanes.of(pending.facing, discipline, now);
    lane.add(pending, now);
    backlog.add(pending);
    if (discipline.order() != Order.FIFO || pending.carried() != null) {
      // a new ticket of a FIFO queue comes before no other
      lanes.all().forEach(each -> each.yieldTo(pending));
    }
    return lane;
  }

  /**
   * Returns whether a ticket may wait for a place in the queue: fewer are blocked than may be, and
   * an empty queue would have room for it.
   */
  boolean mayHold(Pending pending) {
    return overflow.tickets() < routes.maxBlocked()
        && Admission.full(routes.bounds(), new Backlog(), pending) == null;
  }

  /** Blocks a ticket: it waits for a place in the queue. */
  void hold(Pending pending) {
    overflow.add(pending);
    deadlines.add(pending);
  }

  /**
   * Removes a ticket, wherever it waits; if it was {@code passed}, that is granted, it skipped the
   * tickets before it.
   */
  void remove(Pending pending, boolean passed) {
    deadlines.remove(pending);
    if (pending.blocked) {
      overflow.remove(pending);
    } else {
      leaveLane(pending, passed);
    }
  }

  /** Removes a ticket from its lane and the queue, but leaves its deadlines as they are. */
  void leaveLane(Pending pending, boolean passed) {
    Lane lane = pending.lane;
    if (lane == null) {
      throw new IllegalStateException("ticket " + pending.order() + " has no lane");
    }
    lane.remove(pending, passed);
    backlog.remove(pending);
    if (lane.tickets().size() == 0) {
      lanes.remove(lane);
      discipline.retire(lane.tickets());
    }
  }

  /**
   * Lets tickets go to the upstream they avoid after all, where no other is available any more;
   * returns whether there were any.
   */
  boolean stopAvoidingInVain(long now) {
    boolean any = false;
    for (Lane lane : lanes.avoiding()) {
      if (!Admission.anyAvailable(lane.routes(), now)) {
        lane.tickets().forEach(each -> move(each, each.facing.avoidingNone(), now));
        any = true;
      }
    }
    return any;
  }

  /** Moves a ticket to the lane of {@code next}, where it has not been skipped yet. */
  private void move(Pending pending, Facing next, long now) {
    leaveLane(pending, false);
    pending.facing = next;
    enqueue(pending, now);
  }

  /**
   * Publishes the first tickets of the lanes anew: settled usage may have changed the order
   * although no ticket arrived or left.
   */
  void moved() {
    if (discipline.settles()) {
      lanes.all().forEach(Lane::show);
    }
  }

  /** Returns when the longest-waiting ticket arrived; NEVER when none waits. */
  long oldestNanos() {
    Pending oldest = elders.first();
    return oldest == null ? Ticker.NEVER : oldest.arrivedNanos();
  }

  /**
   * Returns a supplier of the waiting tickets, in the order in which they would go if everything
   * fitted, and of null at the end. Nothing may change while it is in use.
   */
  Supplier<@Nullable Pending> inTurn() {
    List<TicketQueue<Pending>> queues = new ArrayList<>(lanes.all().size());
    lanes.all().forEach(lane -> queues.add(lane.tickets()));
    Supplier<@Nullable Pending> queued = discipline.inTurn(queues);
    Iterator<Pending> blocked = overflow.iterator();
    return () -> {
      Pending next = queued.get();
      return next == null && blocked.hasNext() ? blocked.next() : next;
    };
  }
}
