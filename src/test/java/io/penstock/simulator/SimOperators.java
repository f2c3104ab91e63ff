package io.penstock.simulator;

import io.penstock.dispatch.QueuePlace;
import io.penstock.endpoint.TicketOperations.Removal;
import io.penstock.explain.QueueSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Operators: they list waiting tickets and remove some of them. */
final class SimOperators {
  private static final int TIMES = 4;
  private static final int ALL = 10_000;

  private final Simulation simulation;
  private final SimWorld world;

  /** A generator of their own, so that a world without operators is drawn as before. */
  private final SplittableRandom random;

  SimOperators(Simulation simulation) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.random = new SplittableRandom(world.scenario().tickets * 31L + world.window());
  }

  void begin(double spanSeconds) {
    for (int each = 0; each < TIMES; each++) {
      long after = (long) (random.nextDouble() * spanSeconds * SimScenario.SECOND);
      simulation.at(world.now() + after, this::act);
    }
  }

  private void act() {
    simulation.drain();
    List<SimEndpoint> live = simulation.oracle().live();
    SimEndpoint endpoint = live.get(random.nextInt(live.size()));
    look(endpoint);
    if (!endpoint.waiting.isEmpty()) {
      remove(endpoint.waiting.get(random.nextInt(endpoint.waiting.size())));
      look(endpoint);
    }
  }

  /** Lists an endpoint's tickets; all that wait at that moment must be listed, each once. */
  private void look(SimEndpoint endpoint) {
    boolean[] told = new boolean[1];
    world
        .registry()
        .tickets()
        .list(
            endpoint.endpoint,
            ALL,
            queueSnapshot -> {
              compare(endpoint, queueSnapshot);
              told[0] = true;
            });
    simulation.drain();
    if (!told[0]) {
      throw new InvariantViolation("nobody told who waits at " + endpoint.spec.path());
    }
  }

  private static void compare(SimEndpoint endpoint, QueueSnapshot queueSnapshot) {
    List<Long> listed = new ArrayList<>();
    for (QueuePlace each : queueSnapshot.places()) {
      listed.add(each.ticket().order());
    }
    List<Long> waiting = endpoint.waiting.stream().map(each -> each.order).sorted().toList();
    if (!List.copyOf(new TreeSet<>(listed)).equals(waiting) || listed.size() != waiting.size()) {
      throw new InvariantViolation("%s are listed, and %s wait".formatted(listed, waiting));
    }
  }

  private void remove(SimTicket ticket) {
    simulation.note("remove", ticket.order);
    ticket.thrownOut = true;
    List<Removal> told = new ArrayList<>();
    world.registry().tickets().remove(String.valueOf(ticket.order), told::add);
    simulation.drain();
    if (!told.equals(List.of(Removal.REMOVED)) || ticket.stage != SimTicket.Stage.REFUSED) {
      throw new InvariantViolation("%s of it was told: %s".formatted(told, ticket));
    }
  }
}
