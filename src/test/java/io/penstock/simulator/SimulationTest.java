package io.penstock.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.fake.PatientWaits;
import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Runs the core against an oracle that knows the contract and none of the core's arithmetic. One
 * seed is one world; {@code -Dpenstock.sim.seed=N} replays one, {@code -Dpenstock.sim.seeds=N} runs
 * the first N, and more of them as long as some rare event has not happened.
 *
 * <p>First the oracle itself is tested with faults put in on purpose, because an oracle that
 * detects nothing proves nothing. The printed speed is that of a JVM which has warmed up by this
 * much only.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SimulationTest {
  private static final boolean DEEP = Boolean.getBoolean("penstock.deep");
  private static final int SEEDS = Integer.getInteger("penstock.sim.seeds", 40);

  /** Within this number of seeds, every event happens and every fault shows itself. */
  private static final int MOST_SEEDS = 200;

  /** A number of seeds among which even rare events happen. */
  private static final int MANY_SEEDS = 1_000;

  /** The part of the bounds of waits that is at least within a tenth of the truth. */
  private static final double LEAST_TIGHT = 0.65;

  /** Number of seeds on which a fault must show itself. */
  private static final int ENOUGH = DEEP ? 3 : 1;

  private static final Duration LONGEST = PatientWaits.LONGEST;

  private final EventCounts eventCounts = new EventCounts();
  private final List<String> failures = new ArrayList<>();
  private String firstStory = "";
  private long events;

  @Test
  @Order(2)
  void fixedSeedsAndOneMore_everyStep_nothingIsViolated() {
    Long only = Long.getLong("penstock.sim.seed");
    Ticker clock = Ticker.system();
    if (only != null) {
      play(only);
      assertNothingFailed();
    } else {
      long seed = 1;
      while (seed <= SEEDS || (seed <= MOST_SEEDS && !unseen().isEmpty())) {
        play(seed++);
      }
      play(new SplittableRandom().nextLong(1L << 40));
      assertNothingFailed();
      assertThat(unseen()).as("what never happened, of %s", eventCounts).isEmpty();
      assertThat(tight()).as("bounds within a tenth").isGreaterThan(LEAST_TIGHT);
      System.out.printf("simulator: %,d seeds%n", seed);
    }
    long nanos = clock.nanos();
    System.out.printf(
        "simulator: %,d events in %,d ms, %,.0f events/s%n",
        events, nanos / 1_000_000, events * 1e9 / nanos);
    System.out.printf(
        "promised waits that came true: %,d exact, %,d bounds, %.0f %% of those within a tenth%n",
        eventCounts.times("promise kept"), eventCounts.times("bound kept"), 100 * tight());
    assertThat(events).isGreaterThan(100);
  }

  private void play(long seed) {
    Simulation simulation = new Simulation(seed, InjectedFault.NONE);
    try {
      run(simulation);
    } catch (AssertionError | RuntimeException failure) {
      failures.add("-Dpenstock.sim.seed=%d: %s".formatted(seed, failure));
      if (firstStory.isEmpty()) {
        firstStory = simulation.story();
      }
    }
    events += simulation.events();
    eventCounts.add(simulation.oracle().seen());
  }

  private static void run(Simulation simulation) {
    assertTimeoutPreemptively(LONGEST, () -> simulation.run(new OutsideWorld(simulation)::begin));
  }

  private void assertNothingFailed() {
    assertThat(failures).as("the first one:%n%s", firstStory).isEmpty();
  }

  /** Returns the part of the bounds of real waits that are within a tenth of the truth, 0 to 1. */
  private double tight() {
    double near = eventCounts.times("bound within a tenth");
    return near / Math.max(1, near + eventCounts.times("bound below"));
  }

  /** Returns the events that have not happened so far. */
  private List<String> unseen() {
    List<String> kinds =
        new ArrayList<>(
            List.of(
                "blocked",
                "let in",
                "blocked expired",
                "blocked left",
                "expired",
                "left",
                "dynamic",
                "ancestor",
                "given up",
                "shut",
                "on trial",
                "open",
                "unwell",
                "again UNSENT",
                "again REJECTED",
                "again REFUSED",
                "again BROKEN",
                "back went",
                "back went elsewhere",
                "stopped avoiding",
                "back while paused",
                "back refused",
                "back expired",
                "back left",
                "charged refused",
                "charged expired",
                "charged left",
                "waited at its key",
                "refused KEY_RPM",
                "refused KEY_TPM",
                "refused KEY_CONCURRENCY",
                "refused GROUP_RPM",
                "refused GROUP_TPM",
                "refused REMOVED_BY_OPERATOR",
                "refused QUEUE_FULL",
                "refused ESTIMATED_WAIT_EXCEEDS_TIMEOUT",
                "refused COST_EXCEEDS_CAPACITY",
                "stated early",
                "cache read",
                "cache not read",
                "cache entry expired",
                "expected anew",
                "held by a warm-up",
                "moved behind a warm-up",
                "warm-up was over",
                "promise kept",
                "bound kept"));
    if (SEEDS >= MANY_SEEDS) {
      kinds.add("beyond a limit within the bound");
    }
    for (LimitAlgorithm algorithm : LimitAlgorithm.values()) {
      for (io.penstock.queue.QueueOrder order : io.penstock.queue.QueueOrder.values()) {
        kinds.add(algorithm + " " + order);
      }
    }
    kinds.removeIf(kind -> eventCounts.times(kind) > 0);
    return kinds;
  }

  @ParameterizedTest
  @Order(1)
  @EnumSource(value = InjectedFault.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void somethingIsBroken_fewSeeds_theOracleSeesIt(InjectedFault fault) {
    int times = 0;
    for (long seed = 1; seed <= MOST_SEEDS && times < ENOUGH; seed++) {
      Simulation simulation = new Simulation(seed, fault);
      try {
        run(simulation);
      } catch (AssertionError | RuntimeException expected) {
        times++;
      }
    }
    assertThat(times).as("seeds on which %s was seen", fault).isEqualTo(ENOUGH);
  }
}
