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
 * Tickets that could not be charged to their caller at arrival although the caller may have room:
 * its limit is shared by several instances, and the slice of this one is used up. The next round,
 * or a slice that begins before it, settles the question; then each ticket is accepted or refused.
 * They wait outside of the queue, because such callers do not wait there for their key's quotas.
 * Only the owner of the queue may use this, except where a method says otherwise.
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
   * Creates an empty list.
   *
   * @param closed returns the refusal of all tickets, or null
   * @param arrive accepts the tickets that were charged
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

  /** Makes the next step try all tickets again. Safe from any thread. */
  void wake() {
    woken = true;
    routes.signal().run();
  }

  /** Adds a ticket, or refuses it when as many wait here as the queue's bounds allow. */
  void add(Pending pending, Account.Dry dry) {
    String full = Admission.full(routes.bounds(), backlog, pending);
    if (full != null) {
      refuse(pending, Admission.queueFull(full, Ticker.NEVER));
      return;
    }
    places.add(new Place(pending, dry));
    backlog.add(pending);
    woken = true; // the round may have been answered before it was added
  }

  /**
   * Tries to charge tickets again, after a wake-up or when a slice has begun, and accepts, refuses
   * or expires those it can decide; returns the instant at which it wants to be called next.
   */
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
