package io.penstock.endpoint;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.dispatch.CacheNews;
import io.penstock.dispatch.DispatchInbox;
import io.penstock.dispatch.Dispatcher;
import io.penstock.dispatch.KeptUsage;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketListener;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketTerms;
import io.penstock.dispatch.UndecidedTickets;
import io.penstock.dispatch.WaitEstimate;
import io.penstock.dispatch.WaitForecast;
import io.penstock.event.Event;
import io.penstock.explain.BindingLimit;
import io.penstock.explain.HeldRequest;
import io.penstock.explain.PastTicket;
import io.penstock.explain.RecentOutcomes;
import io.penstock.explain.RecentPlaces;
import io.penstock.explain.WaitReasons;
import io.penstock.queue.QueueOrder;
import io.penstock.queue.Ticket.State;
import io.penstock.quota.CallerAccount;
import io.penstock.quota.LightLimit;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.Refusal;
import io.penstock.tenant.PromiseHolder;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One path of the gateway: its queue, its limit, and the outcomes of its tickets. Safe from any
 * thread.
 *
 * <p>All work on the queue goes through an inbox. A thread that finds no other one at work works
 * the inbox off itself, so that a request that can go at once is granted on its own thread.
 */
public final class Endpoint {
  private final EndpointServices services;
  private final LostPlaces lostPlaces;
  private final TicketAccounting ticketAccounting;
  private final Quota own;
  private final DispatchInbox dispatchInbox;
  private final RouteTable routeTable;
  private final Dispatcher dispatcher;
  private final UndecidedTickets undecided;
  private final ShadowReleases shadows;
  private final InFlight inFlight;
  private final EndpointLifecycle endpointLifecycle;
  private final BodylessRefusal bodylessRefusal;
  private final LightLimit lightLimit;
  private final IgnoredParameters ignoredParameters = new IgnoredParameters();
  private final TicketListener listener = new Listener();
  private final RecentPlaces places = new RecentPlaces(this::runAsOwner);
  private volatile boolean paused;
  private volatile long oldestNanos = Ticker.NEVER;

  /** Creates an endpoint that stays until it is closed. */
  public Endpoint(EndpointSpec spec, EndpointServices services) {
    this(spec, services, null, services.ticker().nanos());
  }

  /**
   * Creates an endpoint that counts what is in flight.
   *
   * @param emptied called with it when nothing is in flight any more; see {@link InFlight}
   */
  static Endpoint dynamic(
      EndpointSpec spec, EndpointServices services, Consumer<Endpoint> emptied) {
    return new Endpoint(spec, services, emptied, services.ticker().nanos());
  }

  private Endpoint(
      EndpointSpec spec,
      EndpointServices services,
      @Nullable Consumer<Endpoint> emptied,
      long now) {
    this.services = services;
    this.inFlight =
        emptied == null ? InFlight.uncounted() : InFlight.counted(() -> emptied.accept(this), now);
    this.lostPlaces = new LostPlaces(() -> spec().waiting().placeGraceNanos());
    this.ticketAccounting = new TicketAccounting(spec.path(), services, inFlight, lostPlaces);
    List<MeteredLimit> limits = EndpointLimit.of(services.limits(), spec, null, now);
    this.own = new Quota("endpoint " + spec.path(), ChargeRule.TOTAL, limits);
    this.endpointLifecycle = new EndpointLifecycle(spec, services.limits(), own);
    this.lightLimit = new LightLimit(own.name());
    this.bodylessRefusal = new BodylessRefusal(endpointLifecycle, own);
    StepAlarm stepAlarm = services.alarms().alarm(spec.algorithm());
    this.dispatchInbox = new DispatchInbox(services.ticker(), stepAlarm, new Owner());
    this.routeTable = new RouteTable(services, endpointLifecycle::spec, own, dispatchInbox::signal);
    this.dispatcher = new Dispatcher(ticketAccounting, routeTable, new WaitReasons());
    this.undecided =
        new UndecidedTickets(
            ticketAccounting, routeTable, endpointLifecycle::refusesAll, this::arrive);
    this.shadows =
        new ShadowReleases(
            ticketAccounting, routeTable, endpointLifecycle::refusesAll, this::charge);
  }

  /**
   * Ends the visit of a request that came through {@link EndpointRegistry#enter}. Its ticket, if it
   * has one, may still be settled later.
   */
  public void leave() {
    inFlight.leave(services.ticker().nanos());
  }

  InFlight inFlight() {
    return inFlight;
  }

  /**
   * Returns when its own limit will be as good as new if nothing else happens; at most now if it
   * is. Charges by other instances are not considered.
   */
  long fullyFreeNanos(long now) {
    return EndpointLimit.fullyFreeNanos(own.limits(), now);
  }

  /**
   * Returns the name of the model's limits by which the endpoint limits requests for a model, or
   * null when there are none.
   */
  public @Nullable String limitedAs(@Nullable String model) {
    return services.models().limitedAs(model);
  }

  /** Returns whether any model has limits by which the endpoint limits requests. */
  public boolean limitsModels() {
    return services.models().limitsAny();
  }

  /**
   * Returns the largest stated maximum of output, for all answers together, with which a request
   * fits into the limits of at least one upstream; {@link Long#MAX_VALUE} when there is one that
   * does not count it.
   *
   * @param cost the cost of the request, of which only the input matters
   */
  public long mostStatedOutput(@Nullable String model, Cost cost) {
    return routeTable.mostStatedOutput(model, cost, services.ticker().nanos());
  }

  /**
   * Returns the largest input with which a request fits into all limits that it faces on the way
   * that takes most; {@link Long#MAX_VALUE} when it fits as it is.
   *
   * @param account the account of the key, or null without one
   */
  public long mostInput(@Nullable String model, Cost cost, @Nullable CallerAccount account) {
    long now = services.ticker().nanos();
    if (account == null) {
      return routeTable.mostInput(model, cost, null, now);
    }
    account.enter();
    try {
      return routeTable.mostInput(model, cost, account, now);
    } finally {
      account.leave();
    }
  }

  /**
   * Returns the owner of a limit of tokens for requests without a known model, such as {@code group
   * team}; null if there is no such limit.
   *
   * @param callerAccount the account of the key, or null without one
   */
  public @Nullable String ownerOfTokenLimit(@Nullable CallerAccount callerAccount) {
    return routeTable.ownerOfTokenLimit(callerAccount, services.ticker().nanos());
  }

  /** Returns the configuration. */
  public EndpointSpec spec() {
    return endpointLifecycle.spec();
  }

  /** Returns the path. */
  public String path() {
    return spec().path();
  }

  /** Returns the totals of its tickets by outcome. */
  public EndpointTotals totals() {
    return ticketAccounting.totals();
  }

  /** Returns the counts of short parameters that it did not read. */
  public IgnoredParameters ignoredParameters() {
    return ignoredParameters;
  }

  /** Counts a request with short parameters that are not read here. */
  public void ignored(Set<ShortParameter> parameters) {
    ignoredParameters.count(parameters);
    List<String> names = parameters.stream().map(ShortParameter::text).sorted().toList();
    ticketAccounting.publish(new Event.ParametersIgnored(services.ticker().nanos(), path(), names));
  }

  /** Adds the counts of a removed endpoint below this one. */
  void inherit(Endpoint removed) {
    totals().add(removed.totals());
    ignoredParameters.add(removed.ignoredParameters());
  }

  /** Returns its own limits. */
  public List<MeteredLimit> limits() {
    return own.limits();
  }

  /**
   * Returns how long a small request would wait now if all waiting tickets went first; unknown if
   * paused, or if no upstream is enabled.
   */
  public WaitForecast expectedWait() {
    return paused
        ? WaitForecast.UNKNOWN
        : WaitEstimate.ofSmallRequest(
            routeTable.ofAnyModel(),
            Math.max(0, totals().requests(TicketFate.WAITING)),
            Math.max(0, totals().tokens(TicketFate.WAITING)),
            services.ticker().nanos());
  }

  /** Returns its own limit's utilisation, 0 to 1. */
  public double utilization() {
    return own.utilization(services.ticker().nanos());
  }

  /** Returns how long the longest-waiting ticket has waited, in nanoseconds; 0 if none waits. */
  public long oldestWaitNanos() {
    long oldest = oldestNanos;
    // The oldest ticket may belong to a shadow, which does not count.
    return oldest == Ticker.NEVER || totals().requests(TicketFate.WAITING) <= 0
        ? 0
        : Math.max(0, services.ticker().nanos() - oldest);
  }

  /** Returns whether releases are stopped. */
  public boolean paused() {
    return paused;
  }

  /**
   * Accepts a request. Its outcome is known on return if it was granted at once or refused at
   * arrival, and later otherwise: see {@link ParkedTicket#whenDecided}.
   */
  public ParkedTicket submit(TicketRequest ticketRequest) {
    ticketAccounting.arrived(ticketRequest);
    long now = services.ticker().nanos();
    ParkedTicket lost = spec().shadow() ? null : lostPlaces.take(ticketRequest, now);
    // Numbered as late as possible, so that the order of numbers is nearly that of the inbox.
    ParkedTicket parkedTicket =
        lost == null
            ? ticket(services.arrivals().getAndIncrement(), ticketRequest, now)
            : new ParkedTicket(lost, ticketRequest, spec().terms(ticketRequest, now));
    routeTable.arrived(ticketRequest, now);
    parkedTicket.setLaneKey(routeTable.kept(parkedTicket.laneKey(), ticketRequest, now));
    if (spec().shadow()) {
      shadows.release(parkedTicket, ticketRequest, now);
      return parkedTicket;
    }
    charge(parkedTicket, now);
    return parkedTicket;
  }

  /**
   * Accepts a call that costs nothing. It takes nothing from limits and never waits: its outcome is
   * known on return.
   */
  public ParkedTicket submitLight(TicketRequest ticketRequest) {
    ticketAccounting.arrived(ticketRequest);
    long now = services.ticker().nanos();
    ParkedTicket parkedTicket = ticket(services.arrivals().getAndIncrement(), ticketRequest, now);
    routeTable.arrived(ticketRequest, now);
    parkedTicket.setLaneKey(routeTable.kept(parkedTicket.laneKey(), ticketRequest, now));
    shadows.releaseLight(parkedTicket, now);
    return parkedTicket;
  }

  /**
   * Takes a call that costs nothing from the limit on such calls of clients without a key; returns
   * its refusal, or null when it may go.
   */
  public @Nullable Refusal takeLight(PromiseHolder client) {
    long most = spec().waiting().lightRpm();
    return lightLimit.take(client, most, LightLimit.WINDOW_NANOS, services.ticker().nanos());
  }

  /** Returns whether a request of a tenant may be a repeat that takes over a lost place. */
  public boolean mayTakeOver(Object tenant) {
    return lostPlaces.any(tenant);
  }

  /** Notes that a request has ended that was {@linkplain #submit submitted}. */
  public void requestEnds() {
    totals().requestEnds();
  }

  /** Creates the ticket of a request. */
  public ParkedTicket ticket(long order, TicketRequest ticketRequest, long now) {
    TicketTerms terms = spec().terms(ticketRequest, now);
    return new ParkedTicket(listener, order, ticketRequest, terms, now, null);
  }

  private void charge(ParkedTicket parkedTicket, long now) {
    switch (parkedTicket.charge(now)) {
      case CallerAccount.Denied(Refusal refusal) ->
          ticketAccounting.denied(parkedTicket, refusal, now);
      case CallerAccount.AwaitingShare dry ->
          dispatchInbox.offer(at -> undecide(parkedTicket, dry));
      case CallerAccount.Taken taken -> dispatchInbox.offer(at -> arrive(parkedTicket, at));
    }
  }

  /**
   * Returns the refusal that a request of an account gets now whatever its body says, or null when
   * that depends on the body. Takes nothing, but counts the tenant as active if it is refused.
   *
   * @param client whose tenant it is
   */
  public @Nullable Refusal certainRefusal(
      PromiseHolder client, @Nullable CallerAccount callerAccount) {
    long now = services.ticker().nanos();
    Refusal refusal = bodylessRefusal.refusal(client, callerAccount, paused, now);
    if (refusal != null) {
      dispatcher.waitingRoom().activeTenants().sent(client.sender(), now);
    }
    return refusal;
  }

  /**
   * Returns the refusal of a call that may use any number of tokens, by a budget of its key or
   * group that is used up; null while there is none.
   */
  public @Nullable Refusal usedUpBudget(CallerAccount callerAccount) {
    return spec().shadow() ? null : callerAccount.usedUpBudget(services.ticker().nanos());
  }

  /** Counts a request that is refused before it became a ticket. */
  public void refused(Cost cost, long bytes, Refusal refusal) {
    ticketAccounting.turnedAway(null, cost, bytes, refusal);
  }

  /** Counts such a request, and records its refusal for later questions. */
  public void refused(TicketRequest.Origin origin, Cost cost, long bytes, Refusal refusal) {
    ticketAccounting.turnedAway(origin, cost, bytes, refusal);
  }

  /** Counts a request as cancelled, because its client went away before it became a ticket. */
  public void countCancelled(Cost cost, long bytes) {
    ticketAccounting.countCancelled(cost, bytes);
  }

  /**
   * Lists a request of this endpoint as held by what {@code by} returns; {@link #letGo} ends that.
   */
  public HeldRequest hold(
      TicketRequest.Origin origin,
      @Nullable String model,
      Cost cost,
      Supplier<@Nullable BindingLimit> by) {
    PastTicket.Asked asked = new PastTicket.Asked(path(), model, cost);
    HeldRequest request = new HeldRequest(origin, asked, services.ticker().nanos(), by);
    services.directory().held().add(request);
    return request;
  }

  /** Notes that the step is over that may have held a request. */
  public void letGo(HeldRequest request) {
    services.directory().held().remove(request);
  }

  private void unwanted(ParkedTicket parkedTicket) {
    if (parkedTicket.decide(State.CANCELLED)) {
      // Sent first: once the account is left, its next request must find this ticket out of the
      // queue.
      dispatchInbox.send(at -> dispatcher.leave(parkedTicket, at));
      ticketAccounting.cancelled(parkedTicket);
    } else if (parkedTicket.outcome() instanceof TicketOutcome.Granted(var settlement)) {
      settlement.abandoned(services.ticker().nanos());
    }
  }

  /**
   * Stops or restarts releases; tickets arrive and expire all the same. Operators use {@link
   * EndpointRegistry#pause}, which also takes care that dynamic endpoints are reclaimed later.
   */
  public void pause(boolean stop) {
    paused = stop;
    dispatchInbox.send(at -> dispatcher.pause(paused, at)); // the last of several counts
  }

  /**
   * Returns the tickets without a charge to their caller, because a shared limit has not said yet
   * whether there is room. For the owner of the queue.
   */
  List<ParkedTicket> undecided() {
    return undecided.waiting();
  }

  /** Runs a task as the owner of the queue, soon. */
  void runAsOwner(ObjLongConsumer<Dispatcher> task) {
    dispatchInbox.send(at -> task.accept(dispatcher, at));
  }

  /** Returns the places of its waiting tickets, as of a moment ago or in a moment. */
  public CompletableFuture<RecentPlaces.Places> places() {
    return places.at(services.ticker().nanos());
  }

  /** Returns the records of its recent tickets. */
  RecentOutcomes recentOutcomes() {
    return ticketAccounting.recentOutcomes();
  }

  /** Applies another configuration of the same path; tickets, charges and debt stay. */
  public void reconfigure(EndpointSpec next) {
    dispatchInbox.send(
        at -> {
          EndpointSpec before = spec();
          if (!endpointLifecycle.become(next, at)) {
            return;
          }
          if (next.algorithm() != before.algorithm()) {
            dispatchInbox.replaceAlarm(services.alarms().alarm(next.algorithm()));
          }
          dispatcher.reroute(at);
        });
  }

  /**
   * Gives its waiting tickets the present quotas of keys, groups and models, and refuses those of
   * revoked keys.
   */
  void termsChanged() {
    // waiting shadows are not counted
    if (totals().requests(TicketFate.WAITING) > 0 || spec().shadow()) {
      dispatchInbox.send(
          at -> {
            dispatcher.reroute(at);
            undecided.wake();
          });
    }
  }

  /** Refuses all waiting and all new tickets; everything else stays as it is. */
  public void refuseAll(Refusal refusal) {
    endpointLifecycle.stop(refusal);
    dispatchInbox.send(at -> closeAll(refusal));
  }

  private void closeAll(Refusal refusal) {
    dispatcher.close(refusal);
    undecided.wake();
  }

  /** Refuses all waiting and all new tickets, and forgets its limit. */
  void close(Refusal refusal) {
    endpointLifecycle.close(refusal);
    recentOutcomes().close();
    inFlight.closing();
    dispatchInbox.send(at -> closeAll(refusal));
  }

  /** Returns whether it refuses all requests: it was removed, or the gateway stops. */
  public boolean refusesAll() {
    return endpointLifecycle.refusesAll() != null;
  }

  /** Returns whether it was closed. */
  boolean closed() {
    return endpointLifecycle.closed();
  }

  private void undecide(ParkedTicket parkedTicket, CallerAccount.AwaitingShare dry) {
    undecided.add(parkedTicket, dry);
    if (parkedTicket.shadow() == null) {
      services.directory().add(this, parkedTicket);
    }
  }

  private void arrive(ParkedTicket parkedTicket, long now) {
    Refusal ofAll = endpointLifecycle.refusesAll();
    Refusal refusal = ofAll == null ? parkedTicket.revoked() : ofAll;
    if (refusal != null) {
      ticketAccounting.refuse(parkedTicket, refusal);
      return;
    }
    // It may have arrived after the running step read the clock; it must not go before it arrived.
    long at = Math.max(now, parkedTicket.arrivedNanos());
    if (parkedTicket.carried() == null) {
      dispatcher.arrive(parkedTicket, at);
    } else {
      dispatcher.returnToQueue(parkedTicket, at);
    }
    parkedTicket.came(at);
    if (parkedTicket.waits() && parkedTicket.shadow() == null) {
      services.directory().add(this, parkedTicket);
      ticketAccounting.publish(
          new Event.Queued(at, path(), parkedTicket.order(), parkedTicket.cost()));
    }
  }

  /** Receives the reports of tickets and their settlements. */
  private final class Listener implements TicketListener {
    @Override
    public String path() {
      return Endpoint.this.path();
    }

    @Override
    public void unwanted(ParkedTicket ticket) {
      Endpoint.this.unwanted(ticket);
    }

    @Override
    public void refuse(ParkedTicket ticket, Refusal refusal) {
      dispatchInbox.send(now -> dispatcher.evict(ticket, refusal, now));
    }

    @Override
    public void settled(ParkedTicket ticket, TicketFate fate, @Nullable Refusal refusal, long now) {
      ticketAccounting.settled(ticket, fate, refusal, now);
    }

    @Override
    public void used(ParkedTicket ticket, @Nullable String model, KeptUsage kept) {
      ticketAccounting.used(ticket, model, kept);
    }

    /** Reports the real usage to the order of the queue, where it changes the order. */
    @Override
    public void usageKnown(ParkedTicket ticket, long tokens) {
      if (spec().scheduling().order() == QueueOrder.FAIR && tokens != ticket.tokens()) {
        dispatchInbox.send(now -> dispatcher.settled(ticket, tokens));
      }
    }

    @Override
    public void requeued(ParkedTicket ticket, ParkedTicket next) {
      ticketAccounting.returned(ticket);
      dispatchInbox.offer(now -> arrive(next, now));
    }

    @Override
    public void cacheLearned(CacheNews cacheNews) {
      dispatchInbox.send(now -> dispatcher.expectAnew(cacheNews, now));
    }

    @Override
    public void publish(Event event) {
      ticketAccounting.publish(event);
    }
  }

  /** Does the work of the inbox. */
  private final class Owner implements DispatchInbox.Owner {
    @Override
    public long step(long now) {
      long next = Math.min(undecided.step(now), dispatcher.step(now));
      oldestNanos = Math.min(dispatcher.waitingRoom().oldestNanos(), undecided.oldestNanos());
      bodylessRefusal.follow(dispatcher.waitingRoom());
      if (oldestNanos == Ticker.NEVER) {
        places.forget();
      }
      return next;
    }

    @Override
    public void deliver() {
      ticketAccounting.deliver(dispatchInbox::fault);
    }
  }
}
