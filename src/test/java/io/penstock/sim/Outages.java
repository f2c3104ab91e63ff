package io.penstock.sim;

import io.penstock.pool.Upstream;
import java.util.List;

/** Upstreams that accept nothing for a while, or only a request now and then. */
final class Outages {
  private static final int MOST = 12;

  private final Simulation world;
  private final Scenario scenario;

  Outages(Simulation world) {
    this.world = world;
    this.scenario = world.scenario();
  }

  void begin(double span) {
    for (int each = 0; scenario.outages && each < MOST; each++) {
      world.at(world.now() + scenario.seconds(span), this::change);
    }
  }

  private void change() {
    List<String> ids = world.oracle().upstreams();
    if (ids.isEmpty()) {
      return;
    }
    String id = ids.get(scenario.random.nextInt(ids.size()));
    if (scenario.chance(0.5)) {
      shut(id);
    } else if (scenario.chance(0.7)) {
      tryFrom(id);
    } else {
      open(id);
    }
  }

  private void shut(String id) {
    Upstream upstream = Oracle.upstream(world, id);
    long until = world.now() + scenario.seconds(20);
    world.note("shut until " + until, id);
    world.oracle().gate(id, "shut").shut(until, world.now());
    world.oracle().avoiding().shut();
    if (world.fault() != Fault.SHUT_UNHEEDED) {
      upstream.health().shut(until);
    }
    wake(upstream);
  }

  private void tryFrom(String id) {
    Upstream upstream = Oracle.upstream(world, id);
    long from = world.now() + scenario.seconds(10);
    long trial = 1 + scenario.seconds(3);
    world.note("on trial from " + from + " each " + trial, id);
    world.oracle().gate(id, "on trial").tryFrom(from, trial, world.now());
    world.oracle().avoiding().shut();
    upstream.health().tryFrom(from, world.fault() == Fault.MANY_TRIALS ? 1 : trial);
    wake(upstream);
    world.at(from + scenario.seconds(20), () -> open(id));
  }

  private void open(String id) {
    Upstream upstream = world.upstreams().find(id);
    if (upstream == null) {
      return;
    }
    world.note("open", id);
    world.oracle().gate(id, "open").open(world.now());
    upstream.health().open();
    if (world.fault() != Fault.OPEN_UNHEARD) {
      wake(upstream);
    }
  }

  private static void wake(Upstream upstream) {
    upstream.pools().values().forEach(pool -> pool.line().wake());
  }
}
