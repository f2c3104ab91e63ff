package io.penstock.simulator;

import static io.penstock.simulator.FleetWorld.MILLI;
import static io.penstock.simulator.FleetWorld.SECOND;
import static io.penstock.simulator.FleetWorld.START;

import io.penstock.endpoint.EndpointSpec;
import io.penstock.limit.LimitSpec;
import io.penstock.model.ModelLimits;
import io.penstock.shares.MemoryShareStore;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/** The troubles of one simulated fleet, drawn from its seed. */
final class FleetTroubles {
  /** A kind of trouble. */
  enum Trouble {
    /** An instance ends at once. */
    CRASH,
    /** An instance ends at once, and another one starts. */
    RESTART,
    /** An instance ends as on SIGTERM. */
    LEAVE,
    /** One more instance starts. */
    JOIN,
    /** All instances are replaced, one after another. */
    ROLLING_UPDATE,
    /** An instance is stopped for a while, as by SIGSTOP. */
    PAUSE,
    /** The store restarts as another process, without losing data. */
    STORE_RESTART,
    /** The store loses all data. */
    FLUSH,
    /** The store returns to its data of some seconds ago. */
    ROLLBACK,
    /** An instance ends, and at about the same time the store loses its last seconds. */
    CRASH_AND_ROLLBACK,
    /** Nothing reaches the store for a while. */
    CUT,
    /** One instance does not reach the store for a while. */
    PARTITION,
    /** The store loses the data of one limit. */
    FORGOTTEN_LIMIT,
    /** A limit gets another size, window or kind, at one instance after another. */
    RELOAD,
    /** All instances are replaced by new ones that have one limit different. */
    ROLLING_CHANGE,
    /** One instance has another size of a limit than the others, for good. */
    DIFFERENT,
    /** An operator changes the limits of a key, at one instance after another. */
    KEY_CHANGE,
    /** An operator changes the limits of a model, at one instance after another. */
    OVERRIDE,
    /** An upstream is not reached for a while. */
    UPSTREAM_DOWN,
    /** The wall clock of an instance is set forward or back. */
    CLOCK_STEP,
    /** The store has two masters for a while, each with some of the instances. */
    SPLIT
  }

  /** Troubles that keep only some of the instances from the store. */
  private static final Set<Trouble> OF_SOME = EnumSet.of(Trouble.PARTITION, Trouble.SPLIT);

  /** After a loss, an instance states within this time what it got before. */
  private static final long UNKNOWN = 4 * SECOND;

  /** A split is over before any instance is declared dead. */
  private static final long LONGEST_SPLIT = FleetWorld.LEASE * 4 / 5;

  /** Time in which all instances have begun to share limits. */
  private static final long BEGINNING = 2 * FleetWorld.LEASE;

  private record Span(long from, long until) {
    boolean meets(Span other) {
      return from < other.until && other.from < until;
    }
  }

  /** By how much outages of the store are longer than others. */
  private static final int LONGER = 3;

  /** Time within which a change reaches all instances. */
  private static final long TOLD = 2 * SECOND;

  private final FleetWorld world;
  private final Random random;
  private final FleetLedger ledger;
  private final FleetChoices choices;
  private final List<FleetInstance> instances;
  private final Runnable join;
  private final Set<Trouble> drawn = EnumSet.noneOf(Trouble.class);

  /** The times at which the store loses something, and those from a stop of an instance on. */
  private final List<Span> losses = new ArrayList<>();

  private final List<Span> stops = new ArrayList<>();
  private long last = START;

  /**
   * Creates the troubles of a fleet, without any.
   *
   * @param instances the present ones
   * @param join adds another one
   */
  FleetTroubles(
      FleetWorld world,
      FleetLedger ledger,
      FleetChoices choices,
      List<FleetInstance> instances,
      Runnable join) {
    this.world = world;
    this.random = world.random();
    this.ledger = ledger;
    this.choices = choices;
    this.instances = instances;
    this.join = join;
  }

  Set<Trouble> drawn() {
    return drawn;
  }

  /** Returns whether the troubles keep some of the instances from the store, and others not. */
  boolean strikesSome() {
    return drawn.stream().anyMatch(OF_SOME::contains);
  }

  /**
   * Returns whether the troubles may let more pass than a limit admits, whichever the policy: a
   * window or day begins by the wall clock; and a day is too long to wait for what nobody knows,
   * which is what the other side of a split granted, or what an instance that stopped got in the
   * last seconds before the store lost its data.
   */
  boolean isConceded(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.FixedWindow _ -> drawn.contains(Trouble.CLOCK_STEP);
      case LimitSpec.Day _ ->
          drawn.contains(Trouble.CLOCK_STEP)
              || drawn.contains(Trouble.SPLIT)
              || losses.stream().anyMatch(loss -> stops.stream().anyMatch(loss::meets));
      default -> false;
    };
  }

  private void loses(long at, long until) {
    losses.add(new Span(at, until + UNKNOWN));
  }

  private void stops(long at, long until) {
    stops.add(new Span(at, until + UNKNOWN));
  }

  /** Schedules one trouble; returns when it is over. */
  long draw(Trouble only) {
    drawn.add(only);
    happen(only, START + BEGINNING + random.nextLong(16 * SECOND));
    return last;
  }

  /** Schedules one to three troubles; returns when the last one is over. */
  long draw() {
    List<Trouble> all = List.of(Trouble.values());
    for (int troubles = 1 + random.nextInt(3); troubles > 0; troubles--) {
      Trouble trouble = all.get(random.nextInt(all.size()));
      drawn.add(trouble);
      happen(trouble, START + BEGINNING + random.nextLong(16 * SECOND));
    }
    return last;
  }

  private void at(long instant, Runnable what) {
    last = Math.max(last, instant);
    world.clock().at(instant, what);
  }

  private FleetInstance some() {
    List<FleetInstance> serving = instances.stream().filter(FleetInstance::serves).toList();
    List<FleetInstance> all = serving.isEmpty() ? instances : serving;
    return all.get(random.nextInt(all.size()));
  }

  private void happen(Trouble trouble, long at) {
    boolean restarted = random.nextInt(4) > 0;
    long lasts = random.nextLong(5 * SECOND);
    long back = random.nextLong(5 * SECOND);
    SimStore store = world.store();
    switch (trouble) {
      case CRASH -> crash(at);
      case RESTART -> {
        crash(at);
        at(at + lasts, join);
      }
      case LEAVE -> {
        stops(at, at);
        at(at, () -> some().leave());
      }
      case JOIN -> at(at, join);
      case ROLLING_UPDATE -> roll(at);
      case RELOAD -> reload(at);
      case ROLLING_CHANGE -> {
        at(at, () -> world.plan().change(world.plan().changed()));
        roll(at);
      }
      case DIFFERENT -> at(at, () -> some().reload(world.plan().different()));
      case KEY_CHANGE -> at(at, this::changeKey);
      case OVERRIDE -> at(at, this::override);
      case UPSTREAM_DOWN -> upstreamDown(at, lasts);
      case CLOCK_STEP -> {
        long step = random.nextLong(6 * SECOND) - 3 * SECOND;
        at(at, () -> some().stepWall(step));
      }
      case SPLIT -> {
        at(at, () -> store.split(someNames()));
        at(at + Math.min(lasts, LONGEST_SPLIT), store::unite);
      }
      case PAUSE -> {
        stops(at, at + lasts);
        at(at, () -> pause(at + lasts));
      }
      case STORE_RESTART -> at(at, store::restart);
      case FLUSH -> {
        loses(at, at);
        at(at, () -> store.flush(restarted));
      }
      case ROLLBACK -> rollBack(at, back, restarted);
      case CRASH_AND_ROLLBACK -> {
        crash(at);
        rollBack(at + random.nextLong(100 * MILLI), back, restarted);
      }
      case CUT -> {
        at(at, store::cut);
        at(at + LONGER * lasts, store::mend);
      }
      case PARTITION -> {
        stops(at, at + lasts);
        String name = some().name();
        at(at, () -> store.away.add(name));
        at(at + lasts, () -> store.away.remove(name));
      }
      case FORGOTTEN_LIMIT -> {
        loses(at, at);
        at(at, this::forgetLimit);
      }
    }
    last = Math.max(last, at + Math.max(lasts, TOLD));
  }

  private void crash(long at) {
    stops(at, at);
    at(at, () -> some().crash());
  }

  /** Returns the store to what it knew some time before. */
  private void rollBack(long at, long back, boolean restarted) {
    loses(at, at);
    SimStore store = world.store();
    world
        .clock()
        .at(
            at - back,
            () -> {
              MemoryShareStore earlier = store.snapshot();
              at(at, () -> store.returnTo(earlier, restarted));
            });
    last = Math.max(last, at);
  }

  private void pause(long until) {
    FleetInstance instance = some();
    instance.stop();
    world.clock().at(until, instance::resume);
  }

  private void upstreamDown(long at, long lasts) {
    String upstream = world.plan().someUpstream();
    at(at, () -> choices.fails(upstream));
    at(at + lasts, () -> choices.recovers(upstream));
    last = Math.max(last, at + lasts + FleetChoices.LONGEST_TRIAL);
  }

  private void reload(long at) {
    at(
        at,
        () -> {
          world.plan().change(world.plan().changed());
          List<EndpointSpec> now = List.copyOf(world.plan().endpoints);
          tellAll(each -> each.reload(now));
        });
  }

  private void changeKey() {
    FleetKey key = world.plan().changeKey();
    if (key != null) {
      tellAll(each -> each.change(key));
    }
  }

  private void override() {
    world.plan().changeModel();
    Map<String, ModelLimits> now = Map.copyOf(world.plan().models);
    tellAll(each -> now.forEach(each::override));
  }

  /** Applies a change to all instances, to each at another time. */
  private void tellAll(Consumer<FleetInstance> what) {
    for (FleetInstance each : instances) {
      world.clock().at(world.clock().now() + random.nextLong(TOLD), () -> what.accept(each));
    }
  }

  private Set<String> someNames() {
    Set<String> names = new HashSet<>();
    instances.forEach(each -> names.add(each.name()));
    names.removeIf(name -> random.nextBoolean());
    return names;
  }

  /** Makes the store lose the data of one limit, if there is any. */
  private void forgetLimit() {
    List<LimitId> ids = new ArrayList<>(ledger.specs().keySet());
    ids.sort(Comparator.comparing(LimitId::toString));
    if (!ids.isEmpty()) {
      world.store().lose(ids.get(random.nextInt(ids.size())));
    }
  }

  /** Replaces all present instances: a new one starts, and a second later an old one leaves. */
  private void roll(long at) {
    stops(at, at + 2 * SECOND * instances.size());
    long next = at;
    for (int each = 0; each < instances.size(); each++) {
      FleetInstance old = instances.get(each);
      at(next, join);
      at(next + SECOND, old::leave);
      next += 2 * SECOND;
    }
  }
}
