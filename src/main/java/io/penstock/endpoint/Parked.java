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

/** All who wait at one endpoint: in the queue, or for a place there. Belongs to its owner. */
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

  /** Those in the queue, summed up. */
  Backlog backlog() {
    return backlog;
  }

  /** Those who wait for a place in the queue. */
  Overflow overflow() {
    return overflow;
  }

  Lanes lanes() {
    return lanes;
  }

  /** How many wait, in the queue or for a place there. */
  long tickets() {
    return backlog.tickets() + overflow.tickets();
  }

  /** The order in which they go. */
  Discipline<Pending> discipline() {
    return discipline;
  }

  /** Keeps another order from now on; the lanes are for the caller to put into it. */
  void discipline(Discipline<Pending> next) {
    discipline = next;
  }

  /** Takes note of one that comes, and does not wait anywhere yet. */
  void enter(Pending pending, List<Route> ways) {
    pending.enter(discipline);
    pending.counted = Admission.counted(ways, pending);
    elders.add(pending, backlog.tickets() + overflow.tickets());
    deadlines.add(pending);
  }

  /** Returns the ways of one that waits, or is about to. */
  List<Route> ways(Pending pending, long now) {
    Lane lane = pending.lane;
    return lane != null && pending.queued() ? lane.routes() : lanes.ways(pending.facing, now);
  }

  /** Puts one that entered into the queue. */
  Lane enqueue(Pending pending, long now) {
    Lane lane = lanes.of(pending.facing, discipline, now);
    lane.add(pending, now);
    backlog.add(pending);
    if (discipline.order() != Order.FIFO || pending.carried() != null) {
      // elsewhere nobody who comes is before anybody
      lanes.all().forEach(each -> each.yieldTo(pending));
    }
    return lane;
  }

  /** Returns whether a ticket may wait for a place in the queue: there will be one, and room. */
  boolean mayHold(Pending pending) {
    return overflow.tickets() < routes.maxBlocked()
        && Admission.full(routes.bounds(), new Backlog(), pending) == null;
  }

  /** Has a ticket wait for a place in the queue. */
  void hold(Pending pending) {
    overflow.add(pending);
    deadlines.add(pending);
  }

  /** Removes one, wherever it waits; when it was let go, those before it were passed. */
  void remove(Pending pending, boolean passed) {
    deadlines.remove(pending);
    if (pending.blocked) {
      overflow.remove(pending);
    } else {
      leaveLane(pending, passed);
    }
  }

  /** Removes one from the queue, though its time may run on. */
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
   * Lets tickets go to the upstream they avoid after all, where no other can be relied on any more;
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

  /** Moves one to the lane of what it faces from now on, where it was never skipped yet. */
  private void move(Pending pending, Facing next, long now) {
    leaveLane(pending, false);
    pending.facing = next;
    enqueue(pending, now);
  }

  /** Who comes first may have changed without anybody's coming or going. */
  void moved() {
    if (discipline.settles()) {
      lanes.all().forEach(Lane::show);
    }
  }

  /** Returns when the ticket that waits longest arrived, or NEVER when none waits. */
  long oldestNanos() {
    Pending oldest = elders.first();
    return oldest == null ? Ticker.NEVER : oldest.arrivedNanos();
  }

  /**
   * Returns those who wait one by one, in the order in which they would go if everything fitted;
   * null at the end. Nothing may change meanwhile.
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
