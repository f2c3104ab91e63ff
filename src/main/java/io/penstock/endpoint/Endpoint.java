package io.penstock.endpoint;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Totals.Fate;
import io.penstock.event.Event;
import io.penstock.event.Events;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.Upstreams;
import io.penstock.queue.Bounds;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import io.penstock.quota.Metered;
import io.penstock.quota.Quota;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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
   * @param limits where limits come from
   * @param ticker the clock
   * @param drivers what runs their steps
   * @param events who is told
   * @param arrivals the next arrival number
   */
  public record House(
      Upstreams upstreams,
      LimitSource limits,
      Ticker ticker,
      Driver.Source drivers,
      Events events,
      AtomicLong arrivals) {}

  @FunctionalInterface
  private interface Message {
    void act(long now);
  }

  private record Decision(Pending pending, Outcome outcome) {}

  private final House house;
  private final Driver driver;
  private final Totals totals = new Totals();
  private final Queue<Message> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicInteger work = new AtomicInteger();
  private final Queue<Decision> decided = new ArrayDeque<>();
  private final Books books = new Books();
  private final Dispatcher dispatcher = new Dispatcher(books);
  private final Ways ways = new Ways();
  private long alarm = Ticker.NEVER;
  private final Quota own;
  private volatile EndpointSpec spec;
  private volatile boolean rang;
  private volatile boolean paused;
  private volatile @Nullable Refusal closed;

  Endpoint(EndpointSpec spec, House house) {
    this.spec = spec;
    this.house = house;
    this.driver = house.drivers().driver(spec.algorithm());
    long now = house.ticker().nanos();
    this.own = new Quota("endpoint " + spec.path(), Charge.TOTAL, limits(spec, null, now));
  }

  /** Returns the configuration. */
  public EndpointSpec spec() {
    return spec;
  }

  /** Returns the path. */
  public String path() {
    return spec.path();
  }

  /** Returns what became of its tickets. */
  public Totals totals() {
    return totals;
  }

  /** Returns its own limit's utilisation, 0 to 1. */
  public double utilization() {
    return own.utilization(house.ticker().nanos());
  }

  /** Returns whether releases are stopped. */
  public boolean paused() {
    return paused;
  }

  /**
   * Takes in a request. Its outcome is known when this returns if it went at once or was refused at
   * arrival, and later otherwise: see {@link Pending#whenDecided}.
   *
   * @param model the model it asks for, or null
   * @param bytes of body it holds while it waits
   */
  public Pending submit(@Nullable String model, Cost cost, long bytes, Patience patience) {
    long now = house.ticker().nanos();
    long order = house.arrivals().getAndIncrement();
    Pending pending = new Pending(this, order, model, cost, bytes, patience, now);
    totals.add(Fate.OFFERED, cost, bytes);
    totals.add(Fate.WAITING, cost, bytes);
    inbox.add(at -> arrive(pending, at));
    if (work.getAndIncrement() == 0) {
      turn();
    }
    return pending;
  }

  /** Refuses a request before it became a ticket, so that it is counted. */
  public void refused(Cost cost, long bytes, Refusal refusal) {
    totals.add(Fate.OFFERED, cost, bytes);
    totals.add(Fate.REFUSED, cost, bytes);
    long now = house.ticker().nanos();
    publish(new Event.Refused(now, path(), house.arrivals().getAndIncrement(), refusal));
  }

  /**
   * Takes a ticket back, because its client went away. One that was granted meanwhile, and whose
   * grant nobody will receive, returns what was taken for it.
   */
  public void cancel(Pending pending) {
    if (pending.decide(State.CANCELLED)) {
      totals.move(Fate.WAITING, Fate.CANCELLED, pending.cost(), pending.bytes());
      publish(new Event.Cancelled(house.ticker().nanos(), path(), pending.order()));
      send(at -> dispatcher.leave(pending));
    } else {
      pending.whenDecided(this::abandon);
    }
  }

  private void abandon(Outcome outcome) {
    if (outcome instanceof Outcome.Granted(Settlement settlement)) {
      settlement.abandoned(house.ticker().nanos());
    }
  }

  /** Stops or restarts releases; tickets arrive and expire all the same. */
  public void pause(boolean stop) {
    paused = stop;
    send(at -> dispatcher.pause(stop));
  }

  /** Applies another configuration of the same path; tickets, spend and debt stay. */
  void reconfigure(EndpointSpec next) {
    send(
        at -> {
          if (closed != null) {
            return; // its limit is forgotten, and may be another endpoint's by now
          }
          EndpointSpec before = spec;
          spec = next;
          own.change(Charge.TOTAL, limits(next, before, at));
          dispatcher.reroute(ways, at);
        });
  }

  /** Refuses all who wait, and all who come. */
  void close(Refusal refusal) {
    closed = refusal;
    send(at -> dispatcher.close(refusal));
    LimitId id = limitId(spec);
    if (id != null) {
      house.limits().forget(id);
    }
  }

  private void send(Message message) {
    inbox.add(message);
    signal();
  }

  private void signal() {
    if (work.getAndIncrement() == 0) {
      driver.execute(this::turn);
    }
  }

  private void ring() {
    rang = true;
    if (work.getAndIncrement() == 0) {
      turn();
    }
  }

  /** Works until there is nothing to do; only one thread at a time gets here. */
  private void turn() {
    int seen = work.get();
    try {
      do {
        once(house.ticker().nanos());
        seen = work.addAndGet(-seen);
      } while (seen != 0);
    } catch (RuntimeException fault) {
      // Or nobody would ever work here again, not even for those who came meanwhile.
      if (work.getAndSet(0) > seen) {
        signal();
      }
      throw fault;
    }
  }

  private void once(long now) {
    for (Message message = inbox.poll(); message != null; message = inbox.poll()) {
      message.act(now);
    }
    long next = dispatcher.step(now);
    RuntimeException fault = deliver();
    if (rang) {
      rang = false;
      alarm = Ticker.NEVER;
    }
    if (next != alarm) {
      alarm = next;
      driver.at(next, this::ring);
    }
    if (fault != null) {
      throw fault;
    }
  }

  /** Tells everyone who was decided, each once; returns what went wrong at those who were told. */
  private @Nullable RuntimeException deliver() {
    RuntimeException first = null;
    for (Decision each = decided.poll(); each != null; each = decided.poll()) {
      try {
        each.pending().deliver(each.outcome());
      } catch (RuntimeException fault) {
        if (first == null) {
          first = fault;
        } else {
          first.addSuppressed(fault);
        }
      }
    }
    return first;
  }

  private void arrive(Pending pending, long now) {
    Refusal refusal = closed;
    if (refusal != null) {
      if (pending.decide(State.REFUSED)) {
        books.refused(pending, refusal);
      }
      return;
    }
    dispatcher.arrive(pending, ways, now);
    if (pending.queued()) {
      publish(new Event.Queued(now, path(), pending.order(), pending.cost()));
    }
  }

  void ended(Pending pending, Fate fate) {
    totals.move(Fate.RUNNING, fate, pending.cost(), pending.bytes());
  }

  void publish(Event event) {
    house.events().publish(event);
  }

  private List<Metered> limits(EndpointSpec next, @Nullable EndpointSpec before, long now) {
    LimitId from = before == null ? null : limitId(before);
    LimitId to = limitId(next);
    boolean same = from != null && to != null && from.measure() == to.measure();
    if (from != null && !same) {
      house.limits().forget(from);
    }
    if (to == null) {
      return List.of();
    }
    Limit limit =
        same && from != null
            ? house.limits().change(from, to, next.limit(), now)
            : house.limits().limit(to, next.limit(), now);
    return List.of(new Metered(to.measure(), limit));
  }

  private static @Nullable LimitId limitId(EndpointSpec spec) {
    return switch (spec.limit()) {
      case LimitSpec.Unlimited unlimited -> null;
      case LimitSpec.Strict strict -> id(spec, Measure.REQUESTS, 0);
      case LimitSpec.FixedWindow window -> id(spec, Measure.TOKENS, window.windowNanos());
      case LimitSpec.TrailingWindow window -> id(spec, Measure.REQUESTS, window.windowNanos());
    };
  }

  private static LimitId id(EndpointSpec spec, Measure measure, long durationNanos) {
    return new LimitId(LimitId.Kind.ENDPOINT, spec.path(), "", measure, durationNanos);
  }

  /** Enters each decision in the totals, once, and has it delivered after the step. */
  private final class Books implements Dispatcher.Clerk {
    @Override
    public void granted(Pending pending, Settlement settlement) {
      move(pending, Fate.RUNNING);
      Upstream upstream = settlement.upstream();
      publish(
          new Event.Released(
              pending.arrivedNanos() + settlement.waitedNanos(),
              path(),
              pending.order(),
              upstream == null ? null : upstream.spec().id(),
              pending.model(),
              pending.cost(),
              settlement.waitedNanos()));
      decided.add(new Decision(pending, new Outcome.Granted(settlement)));
    }

    @Override
    public void refused(Pending pending, Refusal refusal) {
      move(pending, Fate.REFUSED);
      publish(new Event.Refused(house.ticker().nanos(), path(), pending.order(), refusal));
      decided.add(new Decision(pending, new Outcome.Refused(refusal)));
    }

    @Override
    public void expired(Pending pending, Refusal refusal) {
      move(pending, Fate.EXPIRED);
      publish(new Event.Expired(house.ticker().nanos(), path(), pending.order(), refusal));
      decided.add(new Decision(pending, new Outcome.Refused(refusal)));
    }

    private void move(Pending pending, Fate fate) {
      totals.move(Fate.WAITING, fate, pending.cost(), pending.bytes());
    }
  }

  /** The ways of this endpoint, as its configuration stands. */
  private final class Ways implements Dispatcher.Routes {
    @Override
    public List<Route> of(@Nullable String model, long now) {
      if (spec.permit()) {
        return List.of(new Route(null, List.of(own)));
      }
      List<Route> routes = new ArrayList<>();
      for (UpstreamSpec each : spec.upstreams()) {
        Upstream upstream = house.upstreams().find(each.id());
        if (upstream != null && upstream.enabled() && each.serves(model)) {
          routes.add(new Route(upstream, List.of(upstream.pool(model, now), own)));
        }
      }
      return routes;
    }

    @Override
    public Reason noWay(@Nullable String model) {
      boolean served = spec.upstreams().stream().anyMatch(each -> each.serves(model));
      return served ? Reason.NO_HEALTHY_UPSTREAM : Reason.NO_UPSTREAM_FOR_MODEL;
    }

    @Override
    public Bounds bounds() {
      return spec.bounds();
    }

    @Override
    public int maxSkips() {
      return spec.maxSkips();
    }

    @Override
    public Runnable signal() {
      return Endpoint.this::signal;
    }
  }
}
