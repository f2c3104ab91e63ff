package io.penstock.endpoint;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.event.Events;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Order;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.Account;
import io.penstock.quota.LimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.ModelQuotas;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One path of the gateway: its queue, its limit, and the outcomes of its tickets. Safe from any
 * thread.
 *
 * <p>All work on the queue goes through an inbox. A thread that finds no other one at work works
 * the inbox off itself, so that a request that can go at once is granted on its own thread.
 */
public final class Endpoint {
  /**
   * Services that all endpoints share.
   *
   * @param upstreams all upstreams
   * @param models the quotas of models over all upstreams
   * @param limits the source of limits
   * @param ticker the clock
   * @param drivers creates the drivers that run their steps
   * @param events receives their events
   * @param arrivals the next arrival number
   * @param roll the directory of waiting tickets
   */
  public record House(
      Upstreams upstreams,
      ModelQuotas models,
      LimitSource limits,
      Ticker ticker,
      Driver.Source drivers,
      Events events,
      AtomicLong arrivals,
      Roll roll) {
    /** Creates the services with an empty directory of waiting tickets. */
    public House(
        Upstreams upstreams,
        ModelQuotas models,
        LimitSource limits,
        Ticker ticker,
        Driver.Source drivers,
        Events events,
        AtomicLong arrivals) {
      this(upstreams, models, limits, ticker, drivers, events, arrivals, new Roll());
    }
  }

  private final House house;
  private final Books books;
  private final Quota own;
  private final Inbox inbox;
  private final Ways ways;
  private final Dispatcher dispatcher;
  private final Undecided undecided;
  private final ShadowReleases shadows;
  private final Guests guests;
  private final Tenure tenure;
  private final Foresight foresight;
  private volatile boolean paused;
  private volatile long oldestNanos = Ticker.NEVER;

  /** Creates an endpoint that stays until it is closed. */
  Endpoint(EndpointSpec spec, House house) {
    this(spec, house, null, house.ticker().nanos());
  }

  /**
   * Creates an endpoint that counts what is in flight.
   *
   * @param emptied called with it when nothing is in flight any more; see {@link Guests}
   */
  static Endpoint dynamic(EndpointSpec spec, House house, Consumer<Endpoint> emptied) {
    return new Endpoint(spec, house, emptied, house.ticker().nanos());
  }

  private Endpoint(EndpointSpec spec, House house, @Nullable Consumer<Endpoint> emptied, long now) {
    this.house = house;
    this.guests =
        emptied == null ? Guests.uncounted() : Guests.counted(() -> emptied.accept(this), now);
    this.books = new Books(spec.path(), house, guests);
    List<Metered> limits = OwnLimit.of(house.limits(), spec, null, now);
    this.own = new Quota("endpoint " + spec.path(), Charge.TOTAL, limits);
    this.tenure = new Tenure(spec, house.limits(), own);
    this.foresight = new Foresight(tenure, own);
    Driver driver = house.drivers().driver(spec.algorithm());
    this.inbox = new Inbox(house.ticker(), driver, new Owner());
    this.ways = new Ways(house, tenure::spec, own, inbox::signal);
    this.dispatcher = new Dispatcher(books, ways);
    this.undecided = new Undecided(books, ways, tenure::refusesAll, this::arrive);
    this.shadows = new ShadowReleases(books, ways, tenure::refusesAll, this::charge);
  }

  /**
   * Ends the visit of a request that came through {@link Registry#enter}. Its ticket, if it has
   * one, may still be settled later.
   */
  public void leave() {
    guests.leave(house.ticker().nanos());
  }

  Guests guests() {
    return guests;
  }

  /**
   * Returns when its own limit will be as good as new if nothing else happens; at most now if it
   * is. Charges by other instances are not considered.
   */
  long fullNanos(long now) {
    return OwnLimit.fullNanos(own.limits(), now);
  }

  /** Returns the configuration. */
  public EndpointSpec spec() {
    return tenure.spec();
  }

  /** Returns the path. */
  public String path() {
    return spec().path();
  }

  /** Returns the totals of its tickets by outcome. */
  public Totals totals() {
    return books.totals();
  }

  /** Returns its own limits. */
  public List<Metered> limits() {
    return own.limits();
  }

  /** Returns how many nanoseconds a small request would wait now, roughly; NEVER if paused. */
  public long expectedWaitNanos() {
    return Forecast.waitNanos(this, house, own, paused);
  }

  /** Returns its own limit's utilisation, 0 to 1. */
  public double utilization() {
    return own.utilization(house.ticker().nanos());
  }

  /** Returns how long the longest-waiting ticket has waited, in nanoseconds; 0 if none waits. */
  public long oldestWaitNanos() {
    long oldest = oldestNanos;
    // The oldest ticket may belong to a shadow, which does not count.
    return oldest == Ticker.NEVER || totals().requests(Fate.WAITING) <= 0
        ? 0
        : Math.max(0, house.ticker().nanos() - oldest);
  }

  /** Returns whether releases are stopped. */
  public boolean paused() {
    return paused;
  }

  /**
   * Accepts a request. Its outcome is known on return if it was granted at once or refused at
   * arrival, and later otherwise: see {@link Pending#whenDecided}.
   */
  public Pending submit(Ask ask) {
    books.arrived(ask);
    long now = house.ticker().nanos();
    // Numbered as late as possible, so that the order of numbers is nearly that of the inbox.
    long order = house.arrivals().getAndIncrement();
    Pending pending = new Pending(this, order, ask, now);
    pending.facing = pending.facing.keptTo(ways.keptTo(ask, now));
    if (spec().shadow()) {
      shadows.release(pending, ask, now);
      return pending;
    }
    charge(pending, now);
    return pending;
  }

  private void charge(Pending pending, long now) {
    switch (pending.charge(now)) {
      case Account.Denied(Refusal refusal) -> books.denied(pending, refusal, now);
      case Account.Dry dry -> inbox.offer(at -> undecide(pending, dry));
      case Account.Taken taken -> inbox.offer(at -> arrive(pending, at));
    }
  }

  /** Cancels the ticket of a shadow; no effect once it was decided. */
  void withdraw(Pending shadow) {
    if (shadow.decide(State.CANCELLED)) {
      inbox.send(at -> dispatcher.leave(shadow, at));
      books.withdrawn(shadow);
    }
  }

  /**
   * Returns the refusal that a request of an account gets now whatever its body says, or null when
   * that depends on the body. Takes and counts nothing.
   */
  public @Nullable Refusal foreseen(@Nullable Account account) {
    return foresight.refusal(account, paused, house.ticker().nanos());
  }

  /** Counts a request that is refused before it became a ticket. */
  public void refused(Cost cost, long bytes, Refusal refusal) {
    books.turnedAway(null, cost, bytes, refusal);
  }

  /** Counts such a request, and records its refusal for later questions. */
  public void refused(Ask.Origin origin, Cost cost, long bytes, Refusal refusal) {
    books.turnedAway(origin, cost, bytes, refusal);
  }

  /** Counts a request as cancelled, because its client went away before it became a ticket. */
  public void gone(Cost cost, long bytes) {
    books.gone(cost, bytes);
  }

  /**
   * Cancels a ticket because its client went away. If it was granted meanwhile, its charges are
   * returned. No effect once its outcome was {@linkplain Pending#take taken}.
   */
  public void cancel(Pending pending) {
    if (!pending.unwanted()) {
      return;
    }
    if (pending.decide(State.CANCELLED)) {
      // Sent first: once the account is left, its next request must find this ticket out of the
      // queue.
      inbox.send(at -> dispatcher.leave(pending, at));
      books.cancelled(pending);
      return;
    }
    Outcome outcome = pending.outcome();
    if (outcome != null) {
      abandon(outcome);
    }
  }

  void abandon(Outcome outcome) {
    if (outcome instanceof Outcome.Granted(Settlement settlement)) {
      settlement.abandoned(house.ticker().nanos());
    }
  }

  /**
   * Stops or restarts releases; tickets arrive and expire all the same. Operators use {@link
   * Registry#pause}, which also takes care that dynamic endpoints are reclaimed later.
   */
  public void pause(boolean stop) {
    paused = stop;
    inbox.send(at -> dispatcher.pause(paused, at)); // the last of several counts
  }

  /** Runs a task as the owner of the queue, soon. */
  void atWork(ObjLongConsumer<Dispatcher> task) {
    inbox.send(at -> task.accept(dispatcher, at));
  }

  /** Returns the records of its recent tickets. */
  Lately lately() {
    return books.lately();
  }

  /** Applies another configuration of the same path; tickets, charges and debt stay. */
  void reconfigure(EndpointSpec next) {
    inbox.send(
        at -> {
          EndpointSpec before = spec();
          if (!tenure.become(next, at)) {
            return;
          }
          if (next.algorithm() != before.algorithm()) {
            inbox.drivenBy(house.drivers().driver(next.algorithm()));
          }
          dispatcher.reroute(at);
        });
  }

  /** Refuses all waiting and all new tickets; everything else stays as it is. */
  void refuseAll(Refusal refusal) {
    tenure.stop(refusal);
    inbox.send(at -> closeAll(refusal));
  }

  private void closeAll(Refusal refusal) {
    dispatcher.close(refusal);
    undecided.wake();
  }

  /** Refuses all waiting and all new tickets, and forgets its limit. */
  void close(Refusal refusal) {
    tenure.close(refusal);
    lately().close();
    guests.closing();
    inbox.send(at -> closeAll(refusal));
  }

  /** Returns whether it was closed. */
  boolean closed() {
    return tenure.closed();
  }

  private void undecide(Pending pending, Account.Dry dry) {
    undecided.add(pending, dry);
    if (pending.shadow() == null) {
      house.roll().add(pending);
    }
  }

  private void arrive(Pending pending, long now) {
    Refusal refusal = tenure.refusesAll();
    if (refusal != null) {
      books.refuse(pending, refusal);
      return;
    }
    // It may have arrived after the running step read the clock; it must not go before it arrived.
    long at = Math.max(now, pending.arrivedNanos());
    if (pending.carried() == null) {
      dispatcher.arrive(pending, at);
    } else {
      dispatcher.back(pending, at);
    }
    pending.came(at);
    if (pending.waits() && pending.shadow() == null) {
      house.roll().add(pending);
      publish(new Event.Queued(at, path(), pending.order(), pending.cost()));
    }
  }

  /** Reports the real usage of a granted ticket to the order, where it changes the order. */
  void used(Pending pending, long tokens) {
    if (spec().scheduling().order() == Order.FAIR && tokens != pending.cost().totalTokens()) {
      inbox.send(at -> dispatcher.settled(pending, tokens));
    }
  }

  /** Makes a granted ticket wait again, as {@code next}. */
  Pending again(Pending pending, Pending next) {
    books.returned(pending);
    inbox.offer(at -> arrive(next, at));
    return next;
  }

  /** Returns the grants of shadow mode. */
  ShadowReleases shadows() {
    return shadows;
  }

  /** Counts the settlement of a granted ticket. */
  void ended(Pending pending, Fate fate) {
    books.settled(pending, fate);
  }

  /** Counts a granted ticket as not served. */
  void failed(Pending pending, Refusal refusal, long now) {
    books.failed(pending, refusal, now);
  }

  void publish(Event event) {
    books.publish(event);
  }

  /** Does the work of the inbox. */
  private final class Owner implements Inbox.Owner {
    @Override
    public long step(long now) {
      long next = Math.min(undecided.step(now), dispatcher.step(now));
      oldestNanos = dispatcher.parked().oldestNanos();
      foresight.follow(dispatcher.parked());
      return next;
    }

    @Override
    public void deliver() {
      books.deliver(inbox::fault);
    }
  }
}
