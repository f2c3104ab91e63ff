package io.penstock.endpoint;

import io.penstock.limit.Demand;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Account;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Those who came without waiting for their key, at a moment when nobody knew whether it has
 * anything left: the instances share it, and the slice of this one was used up. With the next
 * round, or a slice that begins before that, it is known, and they go in or are refused. Belongs to
 * the owner of the queue.
 */
final class Undecided {
  private final Clerk clerk;
  private final Routes routes;
  private final Supplier<@Nullable Refusal> closed;
  private final ObjLongConsumer<Pending> arrive;
  private final Backlog backlog = new Backlog();
  private List<Place> places = new ArrayList<>();
  private volatile boolean woken;

  private final class Place implements Demand.Waiter {
    private final Pending pending;
    private Demand demand;
    private long begin;

    Place(Pending pending, Account.Dry dry) {
      this.pending = pending;
      this.demand = dry.demand();
      waitsFor(dry);
    }

    void waitsFor(Account.Dry dry) {
      if (dry.demand() != demand) {
        demand.leave(this);
        demand = dry.demand();
      }
      begin = dry.begin();
      demand.join(this);
    }

    long next() {
      return Math.min(begin, pending.deadlineNanos());
    }

    @Override
    public void wake() {
      Undecided.this.wake();
    }
  }

  /**
   * Knows of nobody.
   *
   * @param closed why all are refused, or null
   * @param arrive takes in those who were charged
   */
  Undecided(
      Clerk clerk,
      Routes routes,
      Supplier<@Nullable Refusal> closed,
      ObjLongConsumer<Pending> arrive) {
    this.clerk = clerk;
    this.routes = routes;
    this.closed = closed;
    this.arrive = arrive;
  }

  /** Has all looked at in the next step. Safe from any thread. */
  void wake() {
    woken = true;
    routes.signal().run();
  }

  /** Takes in one, unless there are as many as may wait in the queue. */
  void add(Pending pending, Account.Dry dry) {
    String full = Admission.full(routes.bounds(), backlog, pending);
    if (full != null) {
      refuse(pending, Admission.queueFull(full, Ticker.NEVER));
      return;
    }
    places.add(new Place(pending, dry));
    backlog.add(pending);
    woken = true; // the round may have been answered before it was there
  }

  /** Lets those in, or refuses them, of whom it is known by now; returns when the next expires. */
  long step(long now) {
    if (places.isEmpty()) {
      return Ticker.NEVER;
    }
    boolean looks = woken;
    woken = false;
    long next = Ticker.NEVER;
    List<Place> before = places;
    places = new ArrayList<>();
    for (Place place : before) {
      if (stays(place, looks, now)) {
        places.add(place);
        next = Math.min(next, place.next());
      } else {
        place.demand.leave(place);
        backlog.remove(place.pending);
      }
    }
    return next;
  }

  private boolean stays(Place place, boolean looks, long now) {
    Pending pending = place.pending;
    if (pending.state() != State.PARKED) {
      return false;
    }
    if ((looks || now >= place.begin) && decides(place, now)) {
      return false;
    }
    if (now < pending.deadlineNanos()) {
      return true;
    }
    if (pending.decide(State.EXPIRED)) {
      clerk.expired(pending, Admission.expired(now - pending.arrivedNanos()));
    }
    return false;
  }

  private boolean decides(Place place, long now) {
    Refusal all = closed.get();
    if (all != null) {
      refuse(place.pending, all);
      return true;
    }
    return switch (place.pending.charge(now)) {
      case Account.Denied(Refusal refusal) -> {
        refuse(place.pending, refusal);
        yield true;
      }
      case Account.Dry dry -> {
        place.waitsFor(dry);
        yield false;
      }
      case Account.Taken taken -> {
        arrive.accept(place.pending, now);
        yield true;
      }
    };
  }

  private void refuse(Pending pending, Refusal refusal) {
    if (pending.decide(State.REFUSED)) {
      clerk.refused(pending, refusal);
    }
  }
}
