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
 * Records the outcome of each ticket in the totals of its endpoint, once, and publishes it as an
 * event. Decisions of the dispatcher are kept until they are delivered after the step; everything
 * else is safe from any thread.
 *
 * <p>Outcomes of a {@link Shadow} are published, but count in no totals.
 */
final class Books implements Clerk {
  /** A decision to be delivered. */
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

  /** Returns the records of recent outcomes. */
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
   * Delivers the decisions that were not delivered yet. A receiver that fails does not keep others
   * from theirs.
   *
   * @param faults gets, for each failure, an action that throws it
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

  /** Counts the arrival of a ticket, which is in flight until it is settled. */
  void arrived(Ask ask) {
    guests.bring();
    enter(ask.account());
    totals.add(Fate.OFFERED, ask.cost(), ask.bytes());
    totals.add(Fate.WAITING, ask.cost(), ask.bytes());
  }

  /** Refuses a ticket that no other thread has seen. */
  void turnAway(Pending pending, Refusal refusal) {
    pending.decide(State.REFUSED);
    enterRefused(pending, refusal);
    pending.deliver(new Outcome.Refused(refusal));
  }

  /** Refuses a ticket that its caller's account denied at arrival. */
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
   * Counts and publishes the refusal of a request that never became a ticket.
   *
   * @param origin the sender, or null when no record of the request is to be kept
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

  /** Counts a request that never became a ticket, because its client went away. */
  void gone(Cost cost, long bytes) {
    totals.add(Fate.OFFERED, cost, bytes);
    totals.add(Fate.CANCELLED, cost, bytes);
    publish(new Event.Cancelled(now(), path, house.arrivals().getAndIncrement()));
  }

  /** Counts a waiting ticket as cancelled by its client. */
  void cancelled(Pending pending) {
    ended(pending, Fate.WAITING, Fate.CANCELLED);
    publish(new Event.Cancelled(now(), path, pending.order()));
  }

  /** Counts the settlement of a granted ticket. */
  void settled(Pending pending, Fate fate) {
    ended(pending, Fate.RUNNING, fate);
    Past past = pending.past;
    if (past != null) {
      past.ended(fate, null);
    }
  }

  /** Counts a granted ticket as refused, because it was not served. */
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

  /** Counts a granted ticket that comes back as waiting again. */
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

  /** Counts a shadow in flight, brought by a request that is. */
  void brought(Pending shadow) {
    guests.bring();
    enter(shadow.account());
  }

  /** Ends a shadow that no longer waits and was not granted. */
  void withdrawn(Pending shadow) {
    returnTaken(shadow);
    leave(shadow);
  }

  /** Gives back everything taken for a ticket that waited and will not go. */
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

  /** Counts a ticket out of the requests in flight: nothing is taken for it any more. */
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
      // First in the list of deliveries: an event listener that throws must not prevent it.
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

  /** Records a granted ticket; the caller delivers the outcome. */
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

  /** Records a refused ticket; the caller delivers the outcome. */
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
