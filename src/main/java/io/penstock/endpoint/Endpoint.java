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
 * One path: its queue, its limit, and what became of its tickets. Safe from any thread.
 *
 * <p>What others want of the dispatcher goes through an inbox. Whoever finds nobody at work works
 * the inbox off, so that an arrival that can go at once goes on its own thread.
 */
public final class Endpoint {
  /**
   * What endpoints have in common.
   *
   * @param upstreams all upstreams
   * @param models what models may be asked, whoever serves them
   * @param limits where limits come from
   * @param ticker the clock
   * @param drivers what runs their steps
   * @param events who is told
   * @param arrivals the next arrival number
   * @param roll who waits
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
    /** What endpoints have in common at which nobody waits yet. */
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

  /** Makes one that stays until it is closed. */
  Endpoint(EndpointSpec spec, House house) {
    this(spec, house, null, house.ticker().nanos());
  }

  /**
   * Makes one that knows who is inside.
   *
   * @param emptied called with it when the last guest has left; see {@link Guests}
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
   * Sees out a request that came in with {@link Registry#enter}: it will ask for nothing more. Its
   * ticket, if it has one, may still be settled.
   */
  public void leave() {
    guests.leave(house.ticker().nanos());
  }

  Guests guests() {
    return guests;
  }

  /**
   * Returns when its own limit is as good as new if nothing else happens here, at most now if it
   * is. What others spend of it stays theirs: they are not asked for it.
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

  /** Returns what became of its tickets. */
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

  /** Returns how long the ticket that waits longest has waited, in nanoseconds; 0 if none waits. */
  public long oldestWaitNanos() {
    long oldest = oldestNanos;
    // Those that are only shadows wait too.
    return oldest == Ticker.NEVER || totals().requests(Fate.WAITING) <= 0
        ? 0
        : Math.max(0, house.ticker().nanos() - oldest);
  }

  /** Returns whether releases are stopped. */
  public boolean paused() {
    return paused;
  }

  /**
   * Takes in a request. Its outcome is known when this returns if it went at once or was refused at
   * arrival, and later otherwise: see {@link Pending#whenDecided}.
   */
  public Pending submit(Ask ask) {
    books.arrived(ask);
    long now = house.ticker().nanos();
    // Numbered as late as can be: who is numbered first should be in the inbox first.
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

  /** Takes back a ticket that is only a shadow; no effect once it was decided. */
  void withdraw(Pending shadow) {
    if (shadow.decide(State.CANCELLED)) {
      inbox.send(at -> dispatcher.leave(shadow, at));
      books.withdrawn(shadow);
    }
  }

  /**
   * Returns the refusal that a request of an account gets now whatever its body says, or null where
   * that depends on its body. Takes and counts nothing.
   */
  public @Nullable Refusal foreseen(@Nullable Account account) {
    return foresight.refusal(account, paused, house.ticker().nanos());
  }

  /** Refuses a request before it became a ticket, so that it is counted. */
  public void refused(Cost cost, long bytes, Refusal refusal) {
    books.turnedAway(null, cost, bytes, refusal);
  }

  /** Does so with one of which it may be asked what became of it. */
  public void refused(Ask.Origin origin, Cost cost, long bytes, Refusal refusal) {
    books.turnedAway(origin, cost, bytes, refusal);
  }

  /** Counts a request whose client went away before it became a ticket. */
  public void gone(Cost cost, long bytes) {
    books.gone(cost, bytes);
  }

  /**
   * Takes a ticket back, because its client went away. One that was granted meanwhile returns what
   * was taken for it. No effect once its outcome was {@linkplain Pending#take taken}.
   */
  public void cancel(Pending pending) {
    if (!pending.unwanted()) {
      return;
    }
    if (pending.decide(State.CANCELLED)) {
      // First: whoever of its account comes once this one has left it finds no place of its here.
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
   * Stops or restarts releases; tickets arrive and expire all the same. Operators do so through
   * {@link Registry#pause}, which also sees to it that an endpoint that a request made is
   * reclaimed.
   */
  public void pause(boolean stop) {
    paused = stop;
    inbox.send(at -> dispatcher.pause(paused, at)); // of several the last one counts
  }

  /** Has the owner of the queue look at it, or change it, soon. */
  void atWork(ObjLongConsumer<Dispatcher> task) {
    inbox.send(at -> task.accept(dispatcher, at));
  }

  /** Returns what became of its tickets lately. */
  Lately lately() {
    return books.lately();
  }

  /** Applies another configuration of the same path; tickets, spend and debt stay. */
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

  /** Refuses all who wait, and all who come; it stays what it is otherwise. */
  void refuseAll(Refusal refusal) {
    tenure.stop(refusal);
    inbox.send(at -> closeAll(refusal));
  }

  private void closeAll(Refusal refusal) {
    dispatcher.close(refusal);
    undecided.wake();
  }

  /** Refuses all who wait, and all who come; its limit is forgotten. */
  void close(Refusal refusal) {
    tenure.close(refusal);
    lately().close();
    guests.closing();
    inbox.send(at -> closeAll(refusal));
  }

  /** Returns whether nobody goes from here any more. */
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
    // It may have come after the running step read the clock, and goes no earlier than it came.
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

  /** Takes note of what a ticket that went has used, where that changes who goes next. */
  void used(Pending pending, long tokens) {
    if (spec().scheduling().order() == Order.FAIR && tokens != pending.cost().totalTokens()) {
      inbox.send(at -> dispatcher.settled(pending, tokens));
    }
  }

  /** Has a ticket that was let go wait once more, as {@code next}. */
  Pending again(Pending pending, Pending next) {
    books.returned(pending);
    inbox.offer(at -> arrive(next, at));
    return next;
  }

  /** Returns what lets requests go that nothing holds. */
  ShadowReleases shadows() {
    return shadows;
  }

  /** A ticket that was let go is settled. */
  void ended(Pending pending, Fate fate) {
    books.settled(pending, fate);
  }

  /** A ticket that was let go was not served. */
  void failed(Pending pending, Refusal refusal, long now) {
    books.failed(pending, refusal, now);
  }

  void publish(Event event) {
    books.publish(event);
  }

  /** What the inbox has done. */
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
