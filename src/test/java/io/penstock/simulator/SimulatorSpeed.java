package io.penstock.simulator;

import io.penstock.time.Ticker;

/** Measures how fast the simulator runs with every invariant checked. */
public final class SimulatorSpeed {
  private SimulatorSpeed() {}

  /** Runs that many seeds, after as many to warm up; returns events a second. */
  public static double eventsPerSecond(int seeds) {
    play(seeds, 0);
    Ticker clock = Ticker.system();
    long events = play(seeds, seeds);
    return events * 1e9 / clock.nanos();
  }

  private static long play(int seeds, int after) {
    long events = 0;
    for (long seed = after + 1L; seed <= (long) after + seeds; seed++) {
      Simulation simulation = new Simulation(seed, InjectedFault.NONE);
      simulation.run(new OutsideWorld(simulation)::begin);
      events += simulation.events();
    }
    return events;
  }
}
