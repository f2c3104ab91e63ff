package io.penstock.endpoint;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.pool.Upstream;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Account;
import io.penstock.refusal.Refusal;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
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
  private record Decision(Pending pending, Outcome outcome) {}

  private final String path;
  private final Endpoint.House house;
  private final Guests guests;
  private final Totals totals = new Totals();
  private final Lately lately;
  private final Queue<Decision> decided = new ArrayDeque<>();

  Books(String path, Endpoint.House house, Guests guests) {
    this.path = path;
    this.house = house;
    this.guests = guests;
    this.lately = new Lately(house.roll());
  }

  /** What became of tickets lately. */
  Lately lately() {
    return lately;
  }

  private void remember(Pending pending, Past past) {
    if (!pending.forgotten) {
      lately.add(past);
    }
  }

  Totals totals() {
    return totals;
  }

  /**
   * Tells what was decided and is not told yet. A receiver that fails keeps nobody else from
   * theirs.
   *
   * @param faults is given what throws what it threw
   */
  void deliver(Consumer<Runnable> faults) {
    for (Decision each = decided.poll(); each != null; each = decided.poll()) {
      try {
        each.pending().deliver(each.outcome());
      } catch (RuntimeException | Error fault) {
        faults.accept(
            () -> {
              throw fault;
            });
      }
    }
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

  /** Refuses a ticket that nobody else has seen. */
  void turnAway(Pending pending, Refusal refusal) {
    pending.decide(State.REFUSED);
    enterRefused(pending, refusal);
    pending.deliver(new Outcome.Refused(refusal));
  }

  /** Refuses a ticket whose caller is denied what it is charged when it comes. */
  void denied(Pending pending, Refusal refusal, long now) {
    if (pending.shadow() == null) {
      pending.why = Explainer.denied(pending, now);
      turnAway(pending, refusal);
    } else {
      refuse(pending, refusal);
    }
  }

  /** Refuses a ticket, unless something else decided it first. For the owner of the queue. */
  void refuse(Pending pending, Refusal refusal) {
    if (pending.decide(State.REFUSED)) {
      refused(pending, refusal);
    }
  }

  /**
   * A request was refused that is no ticket.
   *
   * @param origin who asked, if it may be asked what became of it
   */
  void turnedAway(Ask.@Nullable Origin origin, Cost cost, long bytes, Refusal refusal) {
    totals.add(Fate.OFFERED, cost, bytes);
    totals.add(Fate.REFUSED, cost, bytes);
    long now = now();
    long number = house.arrivals().getAndIncrement();
    if (origin != null) {
      lately.add(Past.turnedAway(number, origin, path, cost, refusal, now));
    }
    publish(new Event.Refused(now, path, number, refusal));
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
    Past past = pending.past;
    if (past != null) {
      past.ended(fate, null);
    }
  }

  /** A ticket that was let go was not served. */
  void failed(Pending pending, Refusal refusal, long now) {
    ended(pending, Fate.RUNNING, Fate.REFUSED);
    Past past = pending.past;
    if (past == null) {
      remember(pending, Past.of(pending, Fate.REFUSED, refusal, now));
    } else {
      past.ended(Fate.REFUSED, refusal);
    }
    publish(new Event.Refused(now, path, pending.order(), refusal));
  }

  @Override
  public void left(Pending pending, long now) {
    if (pending.shadow() == null && Why.isLong(pending, now)) {
      remember(pending, Past.of(pending, Fate.CANCELLED, null, now));
    }
  }

  /** A ticket that was let go comes back. */
  void returned(Pending pending) {
    totals.move(Fate.RUNNING, Fate.WAITING, pending.cost(), pending.bytes());
  }

  private void ended(Pending pending, Fate from, Fate to) {
    if (from == Fate.WAITING) {
      returnTaken(pending);
      house.roll().remove(pending);
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
    long now = now();
    remember(pending, Past.of(pending, Fate.EXPIRED, refusal, now));
    ended(pending, Fate.WAITING, Fate.EXPIRED);
    publish(new Event.Expired(now, path, pending.order(), refusal));
  }

  /** A ticket was let go; it is for the caller to say so. */
  void enterGranted(Pending pending, Settlement settlement) {
    long at = pending.arrivedNanos() + settlement.waitedNanos();
    Upstream upstream = settlement.upstream();
    String to = upstream == null ? null : upstream.spec().id();
    if (Why.isLong(pending, at)) {
      Past past = Past.released(pending, to, at);
      pending.past = past;
      remember(pending, past);
    }
    house.roll().remove(pending);
    totals.move(Fate.WAITING, Fate.RUNNING, pending.cost(), pending.bytes());
    publish(
        new Event.Released(
            at,
            path,
            pending.order(),
            to,
            pending.model(),
            pending.cost(),
            settlement.waitedNanos()));
  }

  /** A ticket was refused; it is for the caller to say so. */
  void enterRefused(Pending pending, Refusal refusal) {
    long now = now();
    remember(pending, Past.of(pending, Fate.REFUSED, refusal, now));
    ended(pending, Fate.WAITING, Fate.REFUSED);
    publish(new Event.Refused(now, path, pending.order(), refusal));
  }

  private void shadowed(Pending shadow, @Nullable Refusal refusal, long at) {
    long waited = at - shadow.arrivedNanos();
    publish(new Event.Shadowed(at, path, shadow.order(), waited, refusal));
  }
}
