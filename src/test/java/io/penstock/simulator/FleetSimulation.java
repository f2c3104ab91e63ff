package io.penstock.simulator;

import static io.penstock.simulator.FleetWorld.MILLI;

import io.penstock.cost.Cost;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.sharing.OutagePolicy;
import io.penstock.simulator.FleetTroubles.Trouble;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Several gateways that share one store, with clients that always ask for more than the limits
 * admit, in one thread and one true time. Everything is drawn from one seed.
 */
final class FleetSimulation {
  /** Most tickets that wait at one instance; then no more arrive. */
  private static final int MOST_WAITING = 30;

  private final long seed;
  private final @Nullable Trouble only;
  private final FleetWorld world;
  private final Random random;
  private final SimClock clock;
  private final FleetPlan plan;
  private final FleetLedger ledger;
  private final FleetChoices choices;
  private final List<FleetInstance> instances = new ArrayList<>();
  private final FleetTroubles troubles;
  private final FleetProgress progress;

  FleetSimulation(long seed) {
    this(seed, null, null);
  }

  /** Draws a fleet, but for its policy and its trouble if they are given. */
  FleetSimulation(long seed, @Nullable OutagePolicy policy, @Nullable Trouble only) {
    this.seed = seed;
    this.only = only;
    this.world = new FleetWorld(seed, policy);
    this.random = world.random();
    this.clock = world.clock();
    this.plan = world.plan();
    this.ledger = new FleetLedger(world);
    this.choices = new FleetChoices(world);
    this.troubles = new FleetTroubles(world, ledger, choices, instances, this::join);
    this.progress = new FleetProgress(world, ledger, instances);
    world.store().onSilence(this::assertNothingLeft);
    ledger.whenReleased(progress::released);
  }

  FleetWorld world() {
    return world;
  }

  FleetLedger ledger() {
    return ledger;
  }

  FleetTroubles troubles() {
    return troubles;
  }

  FleetProgress progress() {
    return progress;
  }

  /** Runs to the end; throws a {@link InvariantViolation} if work is not done that could be. */
  void run() {
    SimStore store = world.store();
    // with CONTINUE, an instance of which some messages got lost would be as if cut off alone
    store.loss = world.onOutage() == OutagePolicy.CONTINUE ? 0 : random.nextInt(3) * 0.05;
    store.twice = random.nextInt(3) * 0.05;
    store.slowest = List.of(5, 30, 150).get(random.nextInt(3)) * MILLI;
    for (int each = 2 + random.nextInt(4); each > 0; each--) {
      join();
    }
    long last = only == null ? troubles.draw() : troubles.draw(only);
    clock.at(last, store::heal);
    clock.run(last, progress::rested);
    long until = last + ledger.recoveryNanos() + FleetProgress.WINDOWS * ledger.longestWindow();
    progress.until(until);
    clock.run(until, progress::rested);
    progress.ended();
  }

  /** Adds one more instance with its clients. */
  private void join() {
    FleetInstance instance =
        new FleetInstance(world, ledger, choices, "instance-" + instances.size());
    instances.add(instance);
    arrive(instance);
  }

  private void arrive(FleetInstance instance) {
    if (instance.isEnded()) {
      return;
    }
    FleetRequests requests = instance.requests();
    if (instance.serves() && requests.waiting() < MOST_WAITING) {
      EndpointSpec endpoint = plan.endpoints.get(random.nextInt(plan.endpoints.size()));
      requests.submit(endpoint.path(), endpoint.shadow() ? null : key(), ask());
      FleetTicket oldest = requests.oldest();
      if (random.nextInt(50) == 0 && oldest != null) {
        requests.cancel(oldest);
      }
    }
    long mean = requests.waiting() < MOST_WAITING / 2 ? 40 * MILLI : 400 * MILLI;
    clock.at(
        clock.now() + 1 + (long) (-mean * Math.log(1 - random.nextDouble())),
        () -> arrive(instance));
  }

  private @Nullable FleetKey key() {
    return plan.keys.isEmpty() || random.nextInt(4) == 0
        ? null
        : plan.keys.get(random.nextInt(plan.keys.size()));
  }

  private FleetAsk ask() {
    String model = plan.asked.isEmpty() ? null : plan.asked.get(random.nextInt(plan.asked.size()));
    String conversation =
        plan.conversations && random.nextBoolean() ? "conversation-" + random.nextInt(4) : null;
    return new FleetAsk(cost(), model, conversation);
  }

  private Cost cost() {
    long input = random.nextLong(plan.largest) + 1;
    return new Cost(input, random.nextLong(input + 1) / 2, input);
  }

  private void assertNothingLeft(String member) {
    OutagePolicy outagePolicy = world.onOutage();
    if (outagePolicy == OutagePolicy.PARK || outagePolicy == OutagePolicy.REFUSE) {
      instances.stream()
          .filter(each -> each.name().equals(member) && !each.isEnded())
          .forEach(each -> each.limits().assertNothingLeft(each.local()));
    }
  }

  @Override
  public String toString() {
    return "seed %d, %s, %s, %d instances, %s"
        .formatted(seed, world.onOutage(), troubles.drawn(), instances.size(), ledger.specs());
  }
}
