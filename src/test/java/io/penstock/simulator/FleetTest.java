package io.penstock.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.OutagePolicy;
import io.penstock.simulator.FleetTroubles.Trouble;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs fleets of gateways in which several things go wrong at once. One seed is one fleet; {@code
 * -Dpenstock.sim.fleet=N} replays one, {@code -Dpenstock.sim.fleets=N} runs the first N.
 */
@Timeout(3_600) // depends on the number of fleets
class FleetTest {
  private static final int FLEETS =
      Integer.getInteger("penstock.sim.fleets", Boolean.getBoolean("penstock.deep") ? 400 : 3);

  /**
   * Median, over fleets, of the fraction used of the most used limit that a waiting ticket needs in
   * the end. A ticket needs shares of several limits at one instance at the same time, so fleets
   * that share several small limits among many instances use less.
   */
  private static final double USUALLY_USED = 0.9;

  /** The fraction used in the worst fleet, by the kind of the most used limit. */
  private static final Map<String, Double> LEAST_USED =
      Map.of(
          "Strict", 0.3, // a slot that no instance can use is lost
          "TrailingWindow", 0.4,
          "Day", 0.45,
          "FixedWindow", 0.55,
          "SlidingWindow", 0.6,
          "TokenBucket", 0.6);

  /**
   * Median, over fleets that nothing else befalls, of what is released a second while nobody
   * reaches the store, as a part of what is released later. A ticket needs room in several limits
   * at one instance, and of days an instance has little more than it has spent.
   */
  private static final double USUALLY_SERVED = 0.6;

  private static final int LEAST_OUTAGES = 12;

  /** Number of fleets that together draw every trouble. */
  private static final int ENOUGH = 60;

  /** Releases below which a fleet proves nothing. */
  private static final int TRIVIAL = 100;

  private final ProgressTable table = new ProgressTable();
  private final ProgressTable byLimit = new ProgressTable();
  private final Map<Trouble, Integer> drawn = new EnumMap<>(Trouble.class);
  private final List<String> faults = new ArrayList<>();
  private long events;
  private long checks;
  private final Ticker clock = Ticker.system();
  private int trivial;

  @Test
  void anyFleet_keepsItsLimits_andGetsItsWorkDone() {
    Long only = Long.getLong("penstock.sim.fleet");
    if (only != null) {
      play(only);
    } else {
      for (long seed = 1; seed <= FLEETS; seed++) {
        play(seed);
      }
      assertThat(trivial).as("fleets that tell nothing").isLessThanOrEqualTo(FLEETS / 10);
      if (FLEETS >= ENOUGH) {
        assertThat(drawn).as("what went wrong").containsOnlyKeys(Trouble.values());
      }
    }
    report();
    assertThat(faults).isEmpty();
    byLimit
        .leastUsed()
        .forEach(
            (kind, share) ->
                assertThat(share)
                    .as("used of %s in the worst fleet", kind)
                    .isGreaterThanOrEqualTo(LEAST_USED.get(kind)));
    if (only == null) {
      assertThat(byLimit.medianUsed()).isGreaterThanOrEqualTo(USUALLY_USED);
    }
  }

  @Test
  void outageOfTheStore_leavesInstancesWhatTheyHave() {
    for (long seed = 1; seed <= Math.max(LEAST_OUTAGES, FLEETS / 4); seed++) {
      play(seed, new FleetSimulation(seed, OutagePolicy.CONTINUE, Trouble.CUT));
    }
    report();
    assertThat(faults).isEmpty();
    assertThat(table.medianServed(OutagePolicy.CONTINUE.toString()))
        .isGreaterThanOrEqualTo(USUALLY_SERVED);
  }

  private void play(long seed) {
    play(seed, new FleetSimulation(seed));
  }

  private void play(long seed, FleetSimulation fleet) {
    try {
      fleet.run();
    } catch (AssertionError | RuntimeException failure) {
      faults.add("-Dpenstock.sim.fleet=%d: %s; %s".formatted(seed, failure, fleet));
      return;
    }
    FleetProgress progress = fleet.progress();
    events += fleet.world().clock().events();
    checks += progress.checks();
    trivial += progress.releases() < TRIVIAL ? 1 : 0;
    Double least = progress.leastUsed().values().stream().min(Double::compare).orElse(null);
    table.add(
        fleet.world().onOutage().toString(),
        progress.releases() > 0,
        least,
        progress.longestSilence());
    Double served = progress.servedInOutages();
    if (served != null) {
      table.addOutage(fleet.world().onOutage().toString(), served);
    }
    fleet.troubles().drawn().forEach(each -> drawn.merge(each, 1, Integer::sum));
    progress
        .leastUsed()
        .forEach((kind, share) -> byLimit.add(kind, true, share, progress.longestSilence()));
    if (progress.wasIdle()) {
      faults.add("nothing was released for long in " + fleet);
    }
    if (isExact(fleet)) {
      fleet
          .ledger()
          .over(fleet.troubles()::isConceded)
          .forEach((id, over) -> faults.add(id + " is over by " + over + " in " + fleet));
    }
  }

  private static boolean isExact(FleetSimulation fleet) {
    return switch (fleet.world().onOutage()) {
      case PARK, REFUSE -> true;
      case CONTINUE -> !fleet.troubles().strikesSome();
      case ALLOW -> false;
    };
  }

  private void report() {
    System.out.printf(
        "fleets: %,d events, %,.0f events/s, %,d looks at who waits, %d trivial, with %s%n%s"
            + "by the limit that is waited for%n%s",
        events, events * 1e9 / clock.nanos(), checks, trivial, drawn, table, byLimit);
  }
}
