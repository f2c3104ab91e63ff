package io.penstock.simulator;

import io.penstock.pool.Upstream;
import java.util.List;

/** Upstreams that accept nothing for a while, or only a request now and then. */
final class UpstreamOutages {
  private static final int MOST = 12;

  private final Simulation simulation;
  private final SimWorld world;
  private final SimScenario simScenario;

  UpstreamOutages(Simulation simulation) {
    this.simulation = simulation;
    this.world = simulation.world();
    this.simScenario = world.scenario();
  }

  void begin(double span) {
    for (int each = 0; simScenario.outages && each < MOST; each++) {
      simulation.at(world.now() + simScenario.seconds(span), this::change);
    }
  }

  private void change() {
    List<String> ids = simulation.oracle().upstreams();
    if (ids.isEmpty()) {
      return;
    }
    String id = ids.get(simScenario.random.nextInt(ids.size()));
    if (simScenario.chance(0.5)) {
      shut(id);
    } else if (simScenario.chance(0.7)) {
      tryFrom(id);
    } else {
      open(id);
    }
  }

  private void shut(String id) {
    Upstream upstream = world.upstream(id);
    long until = world.now() + simScenario.seconds(20);
    simulation.note("shut until " + until, id);
    simulation.oracle().gate(id, "shut").shut(until, world.now());
    simulation.oracle().avoiding().shut();
    if (world.fault() != InjectedFault.SHUT_UNHEEDED) {
      upstream.health().shut(until);
    }
    wake(upstream);
  }

  private void tryFrom(String id) {
    Upstream upstream = world.upstream(id);
    long from = world.now() + simScenario.seconds(10);
    long trial = 1 + simScenario.seconds(3);
    simulation.note("on trial from " + from + " each " + trial, id);
    simulation.oracle().gate(id, "on trial").tryFrom(from, trial, world.now());
    simulation.oracle().avoiding().shut();
    upstream.health().tryFrom(from, world.fault() == InjectedFault.MANY_TRIALS ? 1 : trial);
    wake(upstream);
    simulation.at(from + simScenario.seconds(20), () -> open(id));
  }

  private void open(String id) {
    Upstream upstream = world.upstreams().find(id);
    if (upstream == null) {
      return;
    }
    simulation.note("open", id);
    simulation.oracle().gate(id, "open").open(world.now());
    upstream.health().open();
    if (world.fault() != InjectedFault.OPEN_UNHEARD) {
      wake(upstream);
    }
  }

  private static void wake(Upstream upstream) {
    upstream.pools().values().forEach(pool -> pool.waitList().wake());
  }
}
