package io.penstock.simulator;

import io.penstock.pool.Upstream;
import java.util.List;

/** Upstreams that accept nothing for a while, or only a request now and then. */
final class UpstreamOutages {
  private static final int MOST = 12;

  private final Simulation world;
  private final SimScenario simScenario;

  UpstreamOutages(Simulation world) {
    this.world = world;
    this.simScenario = world.scenario();
  }

  void begin(double span) {
    for (int each = 0; simScenario.outages && each < MOST; each++) {
      world.at(world.now() + simScenario.seconds(span), this::change);
    }
  }

  private void change() {
    List<String> ids = world.oracle().upstreams();
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
    Upstream upstream = Oracle.upstream(world, id);
    long until = world.now() + simScenario.seconds(20);
    world.note("shut until " + until, id);
    world.oracle().gate(id, "shut").shut(until, world.now());
    world.oracle().avoiding().shut();
    if (world.fault() != InjectedFault.SHUT_UNHEEDED) {
      upstream.health().shut(until);
    }
    wake(upstream);
  }

  private void tryFrom(String id) {
    Upstream upstream = Oracle.upstream(world, id);
    long from = world.now() + simScenario.seconds(10);
    long trial = 1 + simScenario.seconds(3);
    world.note("on trial from " + from + " each " + trial, id);
    world.oracle().gate(id, "on trial").tryFrom(from, trial, world.now());
    world.oracle().avoiding().shut();
    upstream.health().tryFrom(from, world.fault() == InjectedFault.MANY_TRIALS ? 1 : trial);
    wake(upstream);
    world.at(from + simScenario.seconds(20), () -> open(id));
  }

  private void open(String id) {
    Upstream upstream = world.upstreams().find(id);
    if (upstream == null) {
      return;
    }
    world.note("open", id);
    world.oracle().gate(id, "open").open(world.now());
    upstream.health().open();
    if (world.fault() != InjectedFault.OPEN_UNHEARD) {
      wake(upstream);
    }
  }

  private static void wake(Upstream upstream) {
    upstream.pools().values().forEach(pool -> pool.line().wake());
  }
}
