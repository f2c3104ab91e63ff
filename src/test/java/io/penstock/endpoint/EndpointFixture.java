package io.penstock.endpoint;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.dispatch.AlarmSource;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.RequestFixture;
import io.penstock.dispatch.TicketFate;
import io.penstock.dispatch.TicketOutcome;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.endpoint.EndpointSpec.Scheduling;
import io.penstock.endpoint.EndpointSpec.Waiting;
import io.penstock.event.EventBus;
import io.penstock.event.EventSink;
import io.penstock.fake.FakeDrivers;
import io.penstock.fake.FakeTicker;
import io.penstock.fake.RecordedEvents;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamFixture;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.queue.QueueBounds;
import io.penstock.refusal.Refusal;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A registry on a fake clock, with helpers of the tests. */
public final class EndpointFixture {
  /** A queue for a thousand tickets that wait as long as they like. */
  public static final Waiting OPEN =
      EndpointSetup.waiting(
          new QueueBounds(1_000, QueueBounds.UNLIMITED, QueueBounds.UNLIMITED), 0, 0, false, 0);

  public static final long SECOND = 1_000_000_000L;
  public static final long START = 1_000 * SECOND;

  public final FakeTicker ticker = new FakeTicker();
  public final FakeDrivers drivers = new FakeDrivers(ticker);
  public final RecordedEvents recorded = new RecordedEvents();
  public final EventBus events = new EventBus();
  public final UpstreamRegistry upstreams;
  public final ModelQuotas models;
  public final EndpointRegistry registry;
  public final TicketDirectory roll = new TicketDirectory();

  public EndpointFixture() {
    this(new LocalLimitSource());
  }

  public EndpointFixture(LimitSource limits) {
    this(limits, new LocalLimitSource());
  }

  public EndpointFixture(LimitSource limits, LimitSource ofUpstreams) {
    ticker.set(START);
    upstreams = UpstreamFixture.registry(ofUpstreams, 60 * SECOND);
    events.subscribe(recorded);
    EventSink all = events;
    models = new ModelQuotas(limits, 60 * SECOND);
    registry =
        new EndpointRegistry(
            new EndpointServices(
                upstreams,
                models,
                limits,
                ticker,
                drivers,
                all,
                new AtomicLong(),
                roll,
                (key, group, model, used) -> {}));
    models.whenChanged(registry::termsChanged);
  }

  /** Returns the services of endpoints whose usage nobody counts. */
  public static EndpointServices services(
      UpstreamRegistry upstreams,
      ModelQuotas models,
      LimitSource limits,
      Ticker ticker,
      AlarmSource alarms,
      EventSink events) {
    return new EndpointServices(
        upstreams,
        models,
        limits,
        ticker,
        alarms,
        events,
        new AtomicLong(),
        new TicketDirectory(),
        (key, group, model, used) -> {});
  }

  public static EndpointSetup none(String path) {
    return EndpointSetup.of(path, new LimitSpec.Unlimited());
  }

  public static EndpointSetup strict(String path, long releases, long seconds) {
    return EndpointSetup.of(path, new LimitSpec.Strict(new ExactRate(releases, seconds), 0));
  }

  public static EndpointSetup tokens(String path, long capacity, long seconds) {
    return EndpointSetup.of(path, new LimitSpec.FixedWindow(capacity, seconds * SECOND));
  }

  public static UpstreamSpec upstream(String id, long rpm, long tpm) {
    return upstream(id, rpm, tpm, ChargeRule.TOTAL, Map.of(), null);
  }

  public static UpstreamSpec upstream(
      String id,
      long rpm,
      long tpm,
      ChargeRule charge,
      Map<String, String> models,
      @Nullable String disabled) {
    return UpstreamSetup.of(id)
        .disabled(disabled)
        .models(models)
        .limits(rpm, tpm, 0, 0)
        .charge(charge)
        .spec();
  }

  public Endpoint open(EndpointSetup setup) {
    apply(setup);
    return endpoint(setup.spec().path());
  }

  public Endpoint openShadow(EndpointSetup setup) {
    return open(setup.shadow(true));
  }

  public Endpoint open(EndpointSetup setup, Scheduling scheduling, Waiting waiting) {
    return open(setup.scheduling(scheduling).waiting(waiting));
  }

  public void apply(EndpointSetup... setups) {
    registry.apply(List.of(setups).stream().map(EndpointSetup::spec).toList());
    drivers.run();
  }

  public Endpoint endpoint(String path) {
    Endpoint endpoint = registry.find(path);
    if (endpoint == null) {
      throw new AssertionError("no endpoint at " + path);
    }
    return endpoint;
  }

  public static ParkedTicket submit(Endpoint endpoint, long tokens) {
    return endpoint.submit(RequestFixture.request(null, Cost.ofInput(tokens)));
  }

  /** Moves the clock to that long after the start; alarms ring at their instants. */
  public void at(long afterStartNanos) {
    drivers.advanceTo(START + afterStartNanos);
  }

  public static boolean went(ParkedTicket parkedTicket) {
    return parkedTicket.outcome() instanceof TicketOutcome.Granted;
  }

  public static boolean waits(ParkedTicket parkedTicket) {
    return parkedTicket.outcome() == null;
  }

  public static TicketSettlement settlement(ParkedTicket parkedTicket) {
    if (parkedTicket.outcome()
        instanceof TicketOutcome.Granted(TicketSettlement ticketSettlement)) {
      return ticketSettlement;
    }
    throw new AssertionError("ticket " + parkedTicket.order() + " was not granted");
  }

  public static Refusal refusal(ParkedTicket parkedTicket) {
    if (parkedTicket.outcome() instanceof TicketOutcome.Refused(Refusal refusal)) {
      return refusal;
    }
    throw new AssertionError("ticket " + parkedTicket.order() + " was not refused");
  }

  /** Asserts that all offered requests, tokens and bytes are accounted for. */
  public static void assertBalanced(Endpoint endpoint) {
    EndpointTotals endpointTotals = endpoint.totals();
    long requests = 0;
    long tokens = 0;
    long bytes = 0;
    for (TicketFate fate : TicketFate.values()) {
      if (endpointTotals.requests(fate) < 0
          || endpointTotals.tokens(fate) < 0
          || endpointTotals.bytes(fate) < 0) {
        throw new AssertionError(fate + " is below zero");
      }
      if (fate != TicketFate.OFFERED) {
        requests += endpointTotals.requests(fate);
        tokens += endpointTotals.tokens(fate);
        bytes += endpointTotals.bytes(fate);
      }
    }
    if (requests != endpointTotals.requests(TicketFate.OFFERED)
        || tokens != endpointTotals.tokens(TicketFate.OFFERED)
        || bytes != endpointTotals.bytes(TicketFate.OFFERED)) {
      throw new AssertionError(
          "offered is not the sum of the rest: " + requests + ", " + tokens + ", " + bytes);
    }
  }
}
