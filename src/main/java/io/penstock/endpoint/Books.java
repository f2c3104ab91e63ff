package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.pool.Upstream;
import io.penstock.quota.Account;
import io.penstock.refusal.Refusal;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Enters what becomes of each ticket in the totals of its endpoint, once, and publishes it. What
 * the dispatcher decided is kept until it is delivered after the step; all else is safe from any
 * thread.
 *
 * <p>What becomes of a {@link Shadow} is published, and counts nowhere here.
 */
final class Books implements Clerk {
  /** What is to be delivered. */
  record Decision(Pending pending, Outcome outcome) {}

  private final String path;
  private final Endpoint.House house;
  private final Guests guests;
  private final Totals totals = new Totals();
  private final Queue<Decision> decided = new ArrayDeque<>();

  Books(String path, Endpoint.House house, Guests guests) {
    this.path = path;
    this.house = house;
    this.guests = guests;
  }

  Totals totals() {
    return totals;
  }

  /** Returns a decision that is not delivered yet, or null; each once. */
  @Nullable Decision next() {
    return decided.poll();
  }

  void publish(Event event) {
    house.events().publish(event);
  }

  /** A ticket came: it is inside until it is settled. */
  void arrived(Ask ask) {
    guests.bring();
    enter(ask.account());
    totals.add(Fate.OFFERED, ask.cost(), ask.bytes());
    totals.add(Fate.WAITING, ask.cost(), ask.bytes());
  }

  /** A request was refused that is no ticket. */
  void turnedAway(Cost cost, long bytes, Refusal refusal) {
    totals.add(Fate.OFFERED, cost, bytes);
    totals.add(Fate.REFUSED, cost, bytes);
    publish(new Event.Refused(now(), path, house.arrivals().getAndIncrement(), refusal));
  }

  /** The client of a request went away that is no ticket. */
  void gone(Cost cost, long bytes) {
    totals.add(Fate.OFFERED, cost, bytes);
    totals.add(Fate.CANCELLED, cost, bytes);
    publish(new Event.Cancelled(now(), path, house.arrivals().getAndIncrement()));
  }

  /** The client of a ticket that waits went away. */
  void cancelled(Pending pending) {
    ended(pending, Fate.WAITING, Fate.CANCELLED);
    publish(new Event.Cancelled(now(), path, pending.order()));
  }

  /** A ticket that was let go is settled. */
  void settled(Pending pending, Fate fate) {
    ended(pending, Fate.RUNNING, fate);
  }

  /** A ticket that was let go comes back. */
  void returned(Pending pending) {
    totals.move(Fate.RUNNING, Fate.WAITING, pending.cost(), pending.bytes());
  }

  private void ended(Pending pending, Fate from, Fate to) {
    if (from == Fate.WAITING) {
      returnTaken(pending);
    }
    totals.move(from, to, pending.cost(), pending.bytes());
    leave(pending);
  }

  /** A shadow comes, brought by a guest. */
  void brought(Pending shadow) {
    guests.bring();
    enter(shadow.account());
  }

  /** A shadow waits no more, and did not go. */
  void withdrawn(Pending shadow) {
    returnTaken(shadow);
    leave(shadow);
  }

  /** One that waited does not go: what was taken for it before is returned. */
  private void returnTaken(Pending pending) {
    Spends taken = pending.leave();
    if (taken != null) {
      taken.end(now());
    }
  }

  private static void enter(@Nullable Account account) {
    if (account != null) {
      account.enter();
    }
  }

  /** It is inside no more: nothing it took is open. */
  private void leave(Pending pending) {
    guests.leave(now());
    Account account = pending.account();
    if (account != null) {
      account.leave();
    }
  }

  private long now() {
    return house.ticker().nanos();
  }

  @Override
  public void granted(Pending pending, Settlement settlement) {
    Shadow shadow = pending.shadow();
    if (shadow == null) {
      // Told first to whom it matters most: a listener may fail.
      decided.add(new Decision(pending, new Outcome.Granted(settlement)));
      enterGranted(pending, settlement);
      return;
    }
    long at = pending.arrivedNanos() + settlement.waitedNanos();
    guests.leave(at);
    shadow.granted(settlement, at);
    shadowed(pending, null, at);
  }

  @Override
  public void refused(Pending pending, Refusal refusal) {
    if (pending.shadow() != null) {
      withdrawn(pending);
      shadowed(pending, refusal, now());
      return;
    }
    decided.add(new Decision(pending, new Outcome.Refused(refusal)));
    enterRefused(pending, refusal);
  }

  @Override
  public void expired(Pending pending, Refusal refusal) {
    if (pending.shadow() != null) {
      withdrawn(pending);
      shadowed(pending, refusal, now());
      return;
    }
    decided.add(new Decision(pending, new Outcome.Refused(refusal)));
    ended(pending, Fate.WAITING, Fate.EXPIRED);
    publish(new Event.Expired(now(), path, pending.order(), refusal));
  }

  /** A ticket was let go; it is for the caller to say so. */
  void enterGranted(Pending pending, Settlement settlement) {
    totals.move(Fate.WAITING, Fate.RUNNING, pending.cost(), pending.bytes());
    Upstream upstream = settlement.upstream();
    publish(
        new Event.Released(
            pending.arrivedNanos() + settlement.waitedNanos(),
            path,
            pending.order(),
            upstream == null ? null : upstream.spec().id(),
            pending.model(),
            pending.cost(),
            settlement.waitedNanos()));
  }

  /** A ticket was refused; it is for the caller to say so. */
  void enterRefused(Pending pending, Refusal refusal) {
    ended(pending, Fate.WAITING, Fate.REFUSED);
    publish(new Event.Refused(now(), path, pending.order(), refusal));
  }

  private void shadowed(Pending shadow, @Nullable Refusal refusal, long at) {
    long waited = at - shadow.arrivedNanos();
    publish(new Event.Shadowed(at, path, shadow.order(), waited, refusal));
  }
}
