package io.penstock.simulator;

import io.penstock.endpoint.EndpointRegistry;
import io.penstock.endpoint.EndpointServices;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.LimitAlgorithm;
import io.penstock.endpoint.StepDriver;
import io.penstock.event.Event;
import io.penstock.limit.ExactRate;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelQuotas;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The whole core in one thread on a fake clock, driven by a heap of events; everything is drawn
 * from one seed, so that a run can be repeated.
 */
final class Simulation {
  private static final int REMEMBERED = 60;
  private static final int MOST_STEPS_AT_ONCE = 20_000;

  private record Entry(long instant, long sequence, Runnable action) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      int by = Long.compare(instant, other.instant);
      return by != 0 ? by : Long.compare(sequence, other.sequence);
    }
  }

  /** An action on the core; its text is made only when it is read. */
  private record Note(long now, String what, Object about) {}

  private final SimScenario simScenario;
  private final InjectedFault injectedFault;
  private final PriorityQueue<Entry> heap = new PriorityQueue<>();
  private final Deque<Runnable> soon = new ArrayDeque<>();
  private final Deque<Object> last = new ArrayDeque<>();
  private final List<SimDriver> drivers = new ArrayList<>();
  private final UpstreamRegistry upstreamRegistry;
  private final EndpointRegistry endpointRegistry;
  private final SimKeys keys;
  private final Oracle oracle;
  private final AtomicLong arrivals = new AtomicLong();
  private List<EndpointSpec> specs;
  private long now = 1_000;
  private long sequence;
  private long events;

  /** The instant of the last release. */
  private long releasedAt = Long.MIN_VALUE;

  private long stepsAtOnce;
  private @Nullable InvariantViolation first;

  Simulation(long seed, InjectedFault injectedFault) {
    this.simScenario = new SimScenario(seed);
    this.injectedFault = injectedFault;
    LimitSource limits =
        injectedFault == InjectedFault.LARGER_LIMIT ? new Larger() : new LocalLimitSource();
    this.upstreamRegistry = new UpstreamRegistry(limits, simScenario.window);
    ModelQuotas models = new ModelQuotas(limits, simScenario.window);
    this.keys = new SimKeys(seed, simScenario, limits, models, now);
    this.endpointRegistry =
        new EndpointRegistry(
            new EndpointServices(
                upstreamRegistry, models, limits, () -> now, this::driver, this::heard, arrivals));
    this.oracle = new Oracle(this);
    this.specs = simScenario.configuration();
  }

  long now() {
    return now;
  }

  long window() {
    return simScenario.window;
  }

  long events() {
    return events;
  }

  UpstreamRegistry upstreams() {
    return upstreamRegistry;
  }

  EndpointRegistry registry() {
    return endpointRegistry;
  }

  SimKeys keys() {
    return keys;
  }

  Oracle oracle() {
    return oracle;
  }

  SimScenario scenario() {
    return simScenario;
  }

  InjectedFault fault() {
    return injectedFault;
  }

  long nextArrival() {
    return arrivals.get();
  }

  /** Runs to the end; throws a {@link InvariantViolation} when an invariant does not hold. */
  void run() {
    try {
      runAll();
    } catch (AssertionError | RuntimeException later) {
      // The core continues after a fault of its listeners, which may lead to later faults.
      if (first != null) {
        throw first;
      }
      throw later;
    }
  }

  private void runAll() {
    apply(specs);
    OutsideWorld outsideWorld = new OutsideWorld(this);
    outsideWorld.begin();
    while (true) {
      drain();
      long next = nextInstant();
      stuck();
      if (next == Ticker.NEVER) {
        break;
      }
      if (next > now) {
        oracle.still(now, next - 1);
        now = next + simScenario.jump();
        stepsAtOnce = 0;
      }
      act();
      // Events of one instant may come before or after the steps they cause.
      while (!soon.isEmpty() && nextInstant() <= now && simScenario.chance(0.3)) {
        act();
      }
    }
    oracle.over(now);
  }

  private long nextInstant() {
    Entry next = heap.peek();
    return next == null ? Ticker.NEVER : next.instant();
  }

  private void act() {
    Entry next = heap.poll();
    if (next != null) {
      events++;
      step();
      next.action().run();
    }
  }

  private void step() {
    stepsAtOnce++;
    if (stepsAtOnce > MOST_STEPS_AT_ONCE) {
      throw new InvariantViolation("it never comes to rest at " + now);
    }
  }

  /** Runs the steps that are to run soon, in the order in which they were requested. */
  void drain() {
    for (Runnable step = soon.poll(); step != null; step = soon.poll()) {
      events++;
      step();
      step.run();
      oracle.stepped();
    }
  }

  private void stuck() {
    if (oracle.waiting() > 0
        && oracle.running() == 0
        && oracle.nonePaused()
        && drivers.stream().allMatch(each -> each.alarm == Ticker.NEVER)) {
      throw new InvariantViolation("nobody will ever wake those who wait");
    }
  }

  void at(long instant, Runnable action) {
    heap.add(new Entry(Math.max(now, instant), sequence++, action));
  }

  void note(String what, Object about) {
    remember(new Note(now, what, about));
  }

  private void remember(Object what) {
    last.addLast(what);
    if (last.size() > REMEMBERED) {
      last.removeFirst();
    }
  }

  private void heard(Event event) {
    events++;
    releasedAt = event instanceof Event.Released ? now : releasedAt;
    remember(event);
    try {
      oracle.heard(event);
    } catch (InvariantViolation violation) {
      first = first == null ? violation : first;
      throw violation;
    }
  }

  /**
   * Applies another configuration while nothing else is under way. It waits if this is the instant
   * of a release: the amount taken might be given back to the old limit or to the new one.
   */
  void reload() {
    drain();
    if (releasedAt == now) {
      at(now + 1, this::reload);
      return;
    }
    oracle.quiet();
    keys.change(now);
    drain();
    apply(simScenario.changed(specs));
    oracle.reloading(true);
    drain();
    oracle.reloading(false);
  }

  private void apply(List<EndpointSpec> next) {
    note("applying", next);
    specs = next;
    endpointRegistry.apply(injectedFault.broken(next));
    oracle.applied(next);
  }

  void pause(SimEndpoint endpoint, boolean stop) {
    drain();
    note(stop ? "pause" : "go on with", endpoint.spec.path());
    endpoint.paused = stop;
    if (!stop) {
      oracle.avoiding().resumed(endpoint);
    }
    endpointRegistry.pause(endpoint.spec.path(), stop);
    drain();
  }

  /** Returns the last actions, for a person to read. */
  String story() {
    StringBuilder text = new StringBuilder("now ").append(now).append('\n');
    last.forEach(each -> text.append(each).append('\n'));
    return text.append(oracle.describe()).toString();
  }

  private StepDriver driver(LimitAlgorithm algorithm) {
    SimDriver driver = new SimDriver();
    drivers.add(driver);
    return driver;
  }

  private final class SimDriver implements StepDriver {
    private long alarm = Ticker.NEVER;
    private long asked;

    @Override
    public void execute(Runnable step) {
      if (injectedFault != InjectedFault.LOST_SIGNAL || !simScenario.chance(0.02)) {
        soon.addLast(step);
      }
    }

    @Override
    public void at(long instant, Runnable step) {
      alarm = instant;
      asked++;
      long mine = asked;
      if (instant == Ticker.NEVER
          || (injectedFault == InjectedFault.LOST_ALARM && simScenario.chance(0.05))) {
        return;
      }
      long rings = injectedFault == InjectedFault.LATE_ALARM ? instant + 10_000 : instant;
      Simulation.this.at(
          rings,
          () -> {
            if (asked == mine) {
              alarm = Ticker.NEVER;
              step.run();
            }
          });
    }
  }

  private static final class Larger implements LimitSource {
    private final LimitSource local = new LocalLimitSource();

    private static LimitSpec larger(LimitSpec spec) {
      return switch (spec) {
        case LimitSpec.FixedWindow(long capacity, long window) ->
            new LimitSpec.FixedWindow(capacity + 1, window);
        case LimitSpec.TrailingWindow(long capacity, long window, long guard, long burst) ->
            new LimitSpec.TrailingWindow(capacity + 1, window, guard, burst);
        case LimitSpec.Strict strict -> strict;
        case LimitSpec.TokenBucket(ExactRate rate, long burst) ->
            new LimitSpec.TokenBucket(rate, burst + 1);
        case LimitSpec.SlidingWindow(long capacity, long window) ->
            new LimitSpec.SlidingWindow(capacity + 1, window);
        case LimitSpec.Concurrency(long max) -> new LimitSpec.Concurrency(max + 1);
        case LimitSpec.Day day -> day;
        case LimitSpec.Unlimited unlimited -> unlimited;
      };
    }

    @Override
    public Limit limit(LimitId id, LimitSpec spec, long now) {
      return local.limit(id, larger(spec), now);
    }

    @Override
    public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
      return local.change(from, to, larger(spec), now);
    }

    @Override
    public void forget(LimitId id) {
      local.forget(id);
    }
  }
}
