package io.penstock.simulator;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.event.Event;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The whole core in one thread on a fake clock, driven by a heap of events; everything is drawn
 * from one seed, so that a run can be repeated.
 */
final class Simulation {
  private static final int REMEMBERED = 60;
  private static final int MOST_STEPS_AT_ONCE = 20_000;

  /** Promises are asked for each time that the core has been still so often. */
  private static final int ASKED_EACH = 32;

  /** How often they are asked for until nothing comes from outside for a while. */
  private static final int QUIET_EACH = 2;

  private static final long QUIET = 150 * SimScenario.SECOND;

  /**
   * An action to come.
   *
   * @param outside whether it comes from outside the core, and not from one of its alarms
   */
  private record Entry(long instant, long sequence, boolean outside, Runnable action)
      implements Comparable<Entry> {
    Entry after(long nanos) {
      return new Entry(instant + nanos, sequence, outside, action);
    }

    @Override
    public int compareTo(Entry other) {
      int by = Long.compare(instant, other.instant);
      return by != 0 ? by : Long.compare(sequence, other.sequence);
    }
  }

  /** An action on the core; its text is made only when it is read. */
  private record Note(long now, String what, Object about) {}

  private final SimWorld world;
  private final SimScenario simScenario;
  private final InjectedFault injectedFault;
  private final PriorityQueue<Entry> heap = new PriorityQueue<>();
  private final Deque<Runnable> soon = new ArrayDeque<>();
  private final Deque<Object> last = new ArrayDeque<>();
  private final List<SimDriver> drivers = new ArrayList<>();
  private final Oracle oracle;
  private final SimPromises promises;
  private List<EndpointSpec> specs;
  private long sequence;
  private long events;

  /** The instant of the last release. */
  private long releasedAt = Long.MIN_VALUE;

  private long stepsAtOnce;

  /** How often nothing was to be done before a later instant. */
  private long stills;

  private @Nullable InvariantViolation first;

  Simulation(long seed, InjectedFault injectedFault) {
    this.world = new SimWorld(seed, injectedFault, this::driver, this::heard);
    this.simScenario = world.scenario();
    this.injectedFault = injectedFault;
    this.oracle = new Oracle(world);
    this.specs = simScenario.configuration();
    this.promises = new SimPromises(world, oracle.seen());
  }

  SimWorld world() {
    return world;
  }

  long events() {
    return events;
  }

  Oracle oracle() {
    return oracle;
  }

  /**
   * Runs to the end; throws a {@link InvariantViolation} when an invariant does not hold.
   *
   * @param beginning run once the core is configured: it causes the first events
   */
  void run(Runnable beginning) {
    try {
      runAll(beginning);
    } catch (AssertionError | RuntimeException later) {
      // The core continues after a fault of its listeners, which may lead to later faults.
      if (first != null) {
        throw first;
      }
      throw later;
    }
  }

  private void runAll(Runnable beginning) {
    apply(specs);
    beginning.run();
    while (true) {
      drain();
      long next = nextInstant();
      stuck();
      if (next == Ticker.NEVER) {
        break;
      }
      if (next > world.now()) {
        oracle.still(world.now(), next - 1);
        next = askForPromises(next);
        world.advance(next + jump());
        stepsAtOnce = 0;
      }
      act();
      // Events of one instant may come before or after the steps they cause.
      while (!soon.isEmpty() && nextInstant() <= world.now() && simScenario.chance(0.3)) {
        act();
      }
    }
    oracle.over(world.now());
  }

  private long jump() {
    long jump = simScenario.jump();
    if (jump > 0) {
      promises.forget();
    }
    return jump;
  }

  /**
   * Asks now and then for what the core promises to all who wait, and sometimes holds back what
   * comes from outside, so that the promises have time to come true. Returns the next instant.
   */
  private long askForPromises(long next) {
    stills++;
    if (injectedFault != InjectedFault.NONE || stills % ASKED_EACH != 0) {
      return next;
    }
    oracle.live().stream().filter(each -> !each.paused).forEach(promises::ask);
    drain();
    if (stills % (ASKED_EACH * QUIET_EACH) == 0) {
      List<Entry> all = List.copyOf(heap);
      heap.clear();
      all.forEach(each -> heap.add(each.outside() ? each.after(QUIET) : each));
    }
    return Math.max(world.now() + 1, nextInstant());
  }

  /** Something came from outside that no promise of the core can know. */
  void disturbed() {
    promises.forget();
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
      if (next.outside()) {
        promises.forget();
      }
      next.action().run();
    }
  }

  private void step() {
    stepsAtOnce++;
    if (stepsAtOnce > MOST_STEPS_AT_ONCE) {
      throw new InvariantViolation("it never comes to rest at " + world.now());
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
    at(instant, true, action);
  }

  private void at(long instant, boolean outside, Runnable action) {
    heap.add(new Entry(Math.max(world.now(), instant), sequence++, outside, action));
  }

  void note(String what, Object about) {
    remember(new Note(world.now(), what, about));
  }

  private void remember(Object what) {
    last.addLast(what);
    if (last.size() > REMEMBERED) {
      last.removeFirst();
    }
  }

  private void heard(Event event) {
    events++;
    releasedAt = event instanceof Event.Released ? world.now() : releasedAt;
    remember(event);
    try {
      if (event instanceof Event.TicketEvent about) {
        promises.heard(about);
      }
      oracle.heard(event);
      if (oracle.warmupBegan()) {
        promises.forget();
      }
    } catch (InvariantViolation violation) {
      first = first == null ? violation : first;
      throw violation;
    }
  }

  /**
   * Lets waiting tickets be expected anew while nothing else is under way: model and core must see
   * the same tickets wait.
   */
  void cacheLearned(SimTicket answered, boolean changed, Runnable report) {
    drain();
    if (oracle.cacheLearned(answered, changed)) {
      promises.forget();
    }
    report.run();
    drain();
  }

  /**
   * Applies another configuration while nothing else is under way. It waits if this is the instant
   * of a release: the amount taken might be given back to the old limit or to the new one.
   */
  void reload() {
    drain();
    if (releasedAt == world.now()) {
      at(world.now() + 1, this::reload);
      return;
    }
    oracle.quiet();
    world.keys().change(world.now());
    drain();
    apply(simScenario.changed(specs));
    oracle.reloading(true);
    drain();
    oracle.reloading(false);
  }

  private void apply(List<EndpointSpec> next) {
    note("applying", next);
    specs = next;
    world.registry().apply(injectedFault.broken(next));
    oracle.applied(next);
  }

  void pause(SimEndpoint endpoint, boolean stop) {
    drain();
    note(stop ? "pause" : "go on with", endpoint.spec.path());
    endpoint.paused = stop;
    if (!stop) {
      oracle.avoiding().resumed(endpoint);
    }
    world.registry().pause(endpoint.spec.path(), stop);
    drain();
  }

  /** Returns the last actions, for a person to read. */
  String story() {
    StringBuilder text = new StringBuilder("now ").append(world.now()).append('\n');
    last.forEach(each -> text.append(each).append('\n'));
    return text.append(oracle.describe()).toString();
  }

  private StepAlarm driver(LimitAlgorithm algorithm) {
    SimDriver driver = new SimDriver();
    drivers.add(driver);
    return driver;
  }

  private final class SimDriver implements StepAlarm {
    private long alarm = Ticker.NEVER;
    private long asked;

    @Override
    public void soon(Runnable step) {
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
          false,
          () -> {
            if (asked == mine) {
              alarm = Ticker.NEVER;
              step.run();
            }
          });
    }
  }
}
