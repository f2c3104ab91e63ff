package io.penstock.sim;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.endpoint.Algorithm;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.Driver;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Outcome;
import io.penstock.endpoint.Patience;
import io.penstock.endpoint.Registry;
import io.penstock.endpoint.Settlement;
import io.penstock.event.Event;
import io.penstock.limit.Limit;
import io.penstock.pool.Upstream;
import io.penstock.pool.Upstreams;
import io.penstock.quota.Account;
import io.penstock.quota.LimitId;
import io.penstock.quota.Metered;
import io.penstock.quota.ModelQuotas;
import io.penstock.quota.Quota;
import io.penstock.quota.Waits;
import io.penstock.refusal.Reason;
import io.penstock.sync.Rounds;
import io.penstock.sync.SharedLimitSource;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One gateway of a simulated fleet: the dispatcher of production on limits of production that it
 * shares with the others. Its clock runs askew; it may crash, leave, or be stopped for a while as
 * by SIGSTOP.
 */
final class FleetInstance {
  private final FleetSimulation fleet;
  private final String name;
  private final SimClock clock;
  private final long offset;
  private final double drift;
  private final FleetLimits limits;
  private final SharedLimitSource source;
  private final Rounds rounds;
  private final Upstreams upstreams;
  private final Registry registry;
  private final AtomicLong arrivals = new AtomicLong();
  private final Map<String, Account> accounts = new HashMap<>();
  private final Map<String, List<Metered>> keyLimits = new HashMap<>();

  /** Tickets that were neither released nor ended, in the order in which they arrived. */
  private final TreeMap<Long, FleetTicket> waiting = new TreeMap<>();

  private final Deque<Runnable> whenResumed = new ArrayDeque<>();
  private int alarms;
  private boolean ended;
  private boolean stopped;

  FleetInstance(FleetSimulation fleet, String name, FleetPlan plan) {
    this.fleet = fleet;
    this.name = name;
    this.clock = fleet.clock();
    this.offset = fleet.random().nextLong(4_000_000_000L) - FleetSimulation.START;
    this.drift = (fleet.random().nextDouble() - 0.5) * 100e-6;
    this.rounds =
        new Rounds(
            name,
            fleet.store()::carry,
            this::local,
            new Alarm(),
            FleetSimulation.PACE,
            fleet.onOutage(),
            fleet.random()::nextDouble);
    this.source = new SharedLimitSource(rounds, id -> true);
    this.limits = new FleetLimits(source, fleet);
    this.upstreams = new Upstreams(limits, plan.window);
    this.registry =
        new Registry(
            new Endpoint.House(
                upstreams,
                new ModelQuotas(limits, plan.window),
                limits,
                this::local,
                this::driver,
                this::heard,
                arrivals));
    plan.keys.forEach(this::open);
    registry.apply(List.copyOf(plan.endpoints));
    rounds.start();
  }

  /** Is told of the configuration as it is now. */
  void reload(FleetPlan plan) {
    run(() -> registry.apply(List.copyOf(plan.endpoints)));
  }

  private void open(FleetKey key) {
    List<Quota> quotas = new ArrayList<>();
    List<Metered> all = new ArrayList<>(metered(key, LimitId.Kind.KEY));
    quotas.add(Quota.personal(key.name(), List.copyOf(all)));
    FleetKey group = key.group();
    if (group != null) {
      List<Metered> shared = metered(group, LimitId.Kind.GROUP);
      quotas.add(new Quota(group.name(), Charge.TOTAL, shared));
      all.addAll(shared);
    }
    accounts.put(key.name(), new Account(key.name(), key.waits(), (model, now) -> quotas));
    keyLimits.put(key.name(), all);
  }

  private List<Metered> metered(FleetKey key, LimitId.Kind kind) {
    List<Metered> metered = new ArrayList<>();
    key.limits()
        .forEach(
            (measure, spec) -> {
              LimitId id =
                  new LimitId(kind, key.name(), "", measure, FleetLimits.durationNanos(spec));
              Reason reason = measure == Measure.REQUESTS ? Reason.KEY_RPM : Reason.KEY_TPM;
              metered.add(new Metered(measure, limits.limit(id, spec, local()), reason));
            });
    return metered;
  }

  String name() {
    return name;
  }

  FleetLimits limits() {
    return limits;
  }

  /** Returns whether it serves: it was neither stopped nor ended. */
  boolean serves() {
    return !ended && !stopped;
  }

  boolean isEnded() {
    return ended;
  }

  int waiting() {
    return waiting.size();
  }

  /** Returns the ticket that arrived first of those that wait, or null. */
  @Nullable FleetTicket oldest() {
    return waiting.isEmpty() ? null : waiting.firstEntry().getValue();
  }

  List<FleetTicket> tickets() {
    return List.copyOf(waiting.values());
  }

  /** Returns what its clock says. */
  long local() {
    return localAt(clock.now());
  }

  private long localAt(long time) {
    return time + offset + (long) ((time - FleetSimulation.START) * drift);
  }

  private long trueTime(long instant) {
    long time = instant - offset;
    time -= (long) ((time - FleetSimulation.START) * drift);
    for (long lacks = instant - localAt(time); lacks > 0; lacks = instant - localAt(time)) {
      time += lacks;
    }
    return time;
  }

  /** Ends at once; what waits there is lost. */
  void crash() {
    ended = true;
    rounds.stop();
    waiting.clear();
  }

  /** Ends as on SIGTERM: those who wait are let down, and the others are told of what is left. */
  void leave() {
    if (!ended && !stopped) {
      List<FleetTicket> left = tickets();
      left.forEach(this::cancel);
      rounds.leave();
      ended = true;
    }
  }

  /** Stops everything that it does, as by SIGSTOP. */
  void stop() {
    stopped = true;
  }

  /** Goes on with all that was due meanwhile. */
  void resume() {
    stopped = false;
    for (Runnable step = whenResumed.poll(); step != null; step = whenResumed.poll()) {
      run(step);
    }
  }

  /** Runs a step unless it ended; while it is stopped, once it goes on. */
  private void run(Runnable step) {
    if (stopped) {
      whenResumed.add(step);
    } else if (!ended) {
      step.run();
    }
  }

  private void later(long instant, int rank, Runnable step) {
    clock.at(instant, rank, () -> run(step));
  }

  private Driver driver(Algorithm algorithm) {
    Alarm alarm = new Alarm();
    return new Driver() {
      @Override
      public void execute(Runnable step) {
        alarm.soon(step);
      }

      @Override
      public void at(long instantNanos, Runnable step) {
        alarm.at(instantNanos, step);
      }
    };
  }

  /** Runs the steps of one part of the instance. */
  private final class Alarm implements Waits.Alarm {
    private final int rank = ++alarms;
    private long asked;

    @Override
    public void soon(Runnable step) {
      later(clock.now(), rank, step);
    }

    @Override
    public void at(long instantNanos, Runnable step) {
      long mine = ++asked;
      if (instantNanos != Ticker.NEVER) {
        later(trueTime(instantNanos), rank, () -> runIf(mine == asked, step));
      }
    }
  }

  private static void runIf(boolean still, Runnable step) {
    if (still) {
      step.run();
    }
  }

  /** A request comes. */
  void submit(String path, @Nullable FleetKey key, Cost cost) {
    Endpoint endpoint = Objects.requireNonNull(registry.find(path));
    FleetTicket ticket = new FleetTicket(arrivals.get(), endpoint, key, cost, clock.now());
    waiting.put(ticket.number, ticket);
    Ask ask =
        new Ask(
            null,
            cost,
            100,
            Patience.DEFAULT,
            0,
            Ask.Flow.ANONYMOUS,
            Ask.Kept.NOWHERE,
            key == null ? null : accounts.get(key.name()),
            null);
    ticket.pending = endpoint.submit(ask);
    ticket.pending.whenDecided(outcome -> decided(ticket, outcome));
  }

  /** The client of one that waits goes away. */
  void cancel(FleetTicket ticket) {
    if (waiting.containsKey(ticket.number)) {
      ticket.endpoint.cancel(Objects.requireNonNull(ticket.pending));
    }
  }

  private void decided(FleetTicket ticket, Outcome outcome) {
    if (outcome instanceof Outcome.Granted(Settlement settlement)) {
      Usage usage = new Usage(ticket.cost.inputTokens(), 0, ticket.cost.outputTokens());
      later(
          clock.now() + fleet.serviceNanos(),
          0,
          () -> settlement.served(usage, ticket.cost.outputTokens(), local()));
    }
  }

  private void heard(Event event) {
    if (!(event instanceof Event.TicketEvent about)) {
      return;
    }
    FleetTicket ticket = waiting.get(about.ticket());
    switch (about) {
      case Event.Queued queued -> {
        FleetTicket known = Objects.requireNonNull(ticket);
        known.waits = true;
        chargeKey(known);
      }
      case Event.Released released -> {
        FleetTicket known = Objects.requireNonNull(waiting.remove(about.ticket()));
        chargeKey(known);
        path(known, released.upstream()).forEach(each -> release(known, each));
      }
      case Event.Refused refused -> end(ticket);
      case Event.Expired expired -> end(ticket);
      case Event.Cancelled cancelled -> end(ticket);
      case Event.Served served -> {}
      case Event.Settled settled -> {}
      case Event.Returned returned -> {}
      case Event.Shadowed shadowed -> throw new Violation("nobody has a shadow: " + shadowed);
    }
  }

  /** Charges a key that does not wait for its limits when its request came. */
  private void chargeKey(FleetTicket ticket) {
    if (ticket.key != null && !ticket.key.waits() && !ticket.charged) {
      ticket.charged = true;
      for (Metered each : keyLimits.getOrDefault(ticket.key.name(), List.of())) {
        SimRelease release = release(ticket, each);
        if (release != null) {
          ticket.atArrival.add(release);
        }
      }
    }
  }

  /** Takes note that a ticket passed a limit; returns null for what limits nothing. */
  private @Nullable SimRelease release(FleetTicket ticket, Metered metered) {
    LimitId id = limits.idOf(metered.limit());
    return id == null ? null : fleet.released(id, name, amount(ticket, metered.measure()));
  }

  private void end(@Nullable FleetTicket ticket) {
    if (ticket != null && waiting.remove(ticket.number) != null) {
      ticket.atArrival.forEach(each -> each.giveBack(each.amount));
    }
  }

  private static long amount(FleetTicket ticket, Measure measure) {
    return switch (measure) {
      case REQUESTS, CONCURRENCY -> 1;
      case TOKENS -> ticket.cost.totalTokens();
      case INPUT_TOKENS -> ticket.cost.inputTokens();
      case OUTPUT_TOKENS -> ticket.cost.outputTokens();
    };
  }

  /**
   * Returns the limits that a ticket has to pass still, by way of one upstream, or of none: its
   * endpoint's, those of its key if that waits, and the upstream's.
   */
  private List<Metered> path(FleetTicket ticket, @Nullable String upstream) {
    List<Metered> path = new ArrayList<>(ticket.endpoint.limits());
    if (ticket.key != null && ticket.key.waits()) {
      path.addAll(keyLimits.getOrDefault(ticket.key.name(), List.of()));
    }
    Upstream found = upstream == null ? null : upstreams.find(upstream);
    if (found != null) {
      path.addAll(found.pool(null, local()).limits());
    }
    return path;
  }

  /** Returns by upstream the limits that a ticket has to pass there. */
  Map<String, List<Metered>> ways(FleetTicket ticket) {
    Map<String, List<Metered>> ways = new TreeMap<>();
    ticket
        .endpoint
        .spec()
        .upstreams()
        .forEach(each -> ways.put(each.id(), path(ticket, each.id())));
    return ways;
  }

  /** Returns whether every limit on a way would let a ticket pass now. */
  boolean admits(FleetTicket ticket, List<Metered> way) {
    long now = local();
    for (Metered metered : way) {
      Limit limit = metered.limit();
      long amount = Math.min(amount(ticket, metered.measure()), limit.capacity(now));
      if (amount > limit.room(now) || limit.paced(amount, now) > now) {
        return false;
      }
    }
    return true;
  }
}
