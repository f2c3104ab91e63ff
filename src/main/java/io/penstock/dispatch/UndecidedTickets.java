package io.penstock.dispatch;

import io.penstock.limit.ShareDemand;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.CallerAccount;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tickets that could not be charged to their caller at arrival although the caller may have room:
 * its limit is shared by several instances, and the share of this one is used up. A larger share,
 * or room in the present one before, settles the question; then each ticket is accepted or refused.
 * They wait outside of the queue, because such callers do not wait there for their key's quotas.
 * Only the owner of the queue may use this, except where a method says otherwise.
 */
public final class UndecidedTickets {
  private final DispatchListener dispatchListener;
  private final RouteSource routeSource;
  private final Supplier<@Nullable Refusal> closed;
  private final ObjLongConsumer<ParkedTicket> arrive;
  private final QueueBacklog backlog = new QueueBacklog();
  private List<Place> places = new ArrayList<>();
  private volatile boolean woken;

  private final class Place implements ShareDemand.Waiter {
    private final ParkedTicket parkedTicket;
    private ShareDemand shareDemand;
    private long begin;

    Place(ParkedTicket parkedTicket, CallerAccount.AwaitingShare dry) {
      this.parkedTicket = parkedTicket;
      this.shareDemand = dry.demand();
      waitsFor(dry);
    }

    void waitsFor(CallerAccount.AwaitingShare dry) {
      if (dry.demand() != shareDemand) {
        shareDemand.leave(this);
        shareDemand = dry.demand();
      }
      begin = dry.beginsAt();
      shareDemand.join(this);
    }

    long next() {
      return Math.min(begin, parkedTicket.deadlineNanos());
    }

    @Override
    public void wake() {
      UndecidedTickets.this.wake();
    }
  }

  /**
   * Creates an empty list.
   *
   * @param closed returns the refusal of all tickets, or null
   * @param arrive accepts the tickets that were charged
   */
  public UndecidedTickets(
      DispatchListener dispatchListener,
      RouteSource routeSource,
      Supplier<@Nullable Refusal> closed,
      ObjLongConsumer<ParkedTicket> arrive) {
    this.dispatchListener = dispatchListener;
    this.routeSource = routeSource;
    this.closed = closed;
    this.arrive = arrive;
  }

  /** Makes the next step try all tickets again. Safe from any thread. */
  public void wake() {
    woken = true;
    routeSource.signal().run();
  }

  /** Returns the tickets that wait here, in the order in which they came. */
  public List<ParkedTicket> waiting() {
    return places.stream()
        .map(place -> place.parkedTicket)
        .filter(each -> each.state() == State.PARKED)
        .toList();
  }

  /** Returns when the oldest of them arrived; {@link Ticker#NEVER} when there are none. */
  public long oldestNanos() {
    return places.isEmpty() ? Ticker.NEVER : places.getFirst().parkedTicket.arrivedNanos();
  }

  /** Adds a ticket, or refuses it when as many wait here as the queue's bounds allow. */
  public void add(ParkedTicket parkedTicket, CallerAccount.AwaitingShare dry) {
    String full = backlog.boundReached(routeSource.bounds(), parkedTicket);
    if (full != null) {
      refuse(parkedTicket, AdmissionCheck.queueFull(full, Ticker.NEVER));
      return;
    }
    places.add(new Place(parkedTicket, dry));
    backlog.add(parkedTicket);
    woken = true; // the round may have been answered before it was added
  }

  /**
   * Tries to charge tickets again, after a wake-up or when its share has room, and accepts, refuses
   * or expires those it can decide; returns the instant at which it wants to be called next.
   */
  public long step(long now) {
    if (places.isEmpty()) {
      return Ticker.NEVER;
    }
    boolean triesAll = woken;
    woken = false;
    long next = Ticker.NEVER;
    List<Place> before = places;
    places = new ArrayList<>();
    for (Place place : before) {
      if (stays(place, triesAll, now)) {
        places.add(place);
        next = Math.min(next, place.next());
      } else {
        place.shareDemand.leave(place);
        backlog.remove(place.parkedTicket);
      }
    }
    return next;
  }

  private boolean stays(Place place, boolean triesAll, long now) {
    ParkedTicket parkedTicket = place.parkedTicket;
    if (parkedTicket.state() != State.PARKED) {
      return false;
    }
    if ((triesAll || now >= place.begin) && decides(place, now)) {
      return false;
    }
    if (now < parkedTicket.deadlineNanos()) {
      return true;
    }
    if (parkedTicket.decide(State.EXPIRED)) {
      dispatchListener.refused(
          parkedTicket,
          AdmissionCheck.expired(
              now - parkedTicket.arrivedNanos(), parkedTicket.fingerprint() != null));
    }
    return false;
  }

  private boolean decides(Place place, long now) {
    Refusal all = closed.get();
    if (all != null) {
      refuse(place.parkedTicket, all);
      return true;
    }
    return switch (place.parkedTicket.charge(now)) {
      case CallerAccount.Denied(Refusal refusal) -> {
        refuse(place.parkedTicket, refusal);
        yield true;
      }
      case CallerAccount.AwaitingShare dry -> {
        place.waitsFor(dry);
        yield false;
      }
      case CallerAccount.Taken taken -> {
        arrive.accept(place.parkedTicket, now);
        yield true;
      }
    };
  }

  private void refuse(ParkedTicket parkedTicket, Refusal refusal) {
    if (parkedTicket.decide(State.REFUSED)) {
      dispatchListener.refused(parkedTicket, refusal);
    }
  }
}
