package io.penstock.simulator;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.endpoint.Endpoint;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request at one instance of a simulated fleet. */
final class FleetTicket {
  final long number;
  final Endpoint endpoint;
  final @Nullable FleetKey key;
  final FleetAsk ask;

  /** The true time at which it arrived. */
  final long arrived;

  /** Whether its key was charged at arrival. */
  boolean charged;

  /** The amounts that it took from limits other than upstreams', for all its attempts. */
  final List<SimRelease> kept = new ArrayList<>();

  /** Those of them that are of budgets. */
  final List<SimRelease> ofBudgets = new ArrayList<>();

  boolean waits;
  @Nullable ParkedTicket parkedTicket;

  /** How often an attempt failed; after the first only the upstream is still to be charged. */
  int failed;

  /** The upstream that failed last, or null. */
  @Nullable String avoided;

  FleetTicket(long number, Endpoint endpoint, @Nullable FleetKey key, FleetAsk ask, long arrived) {
    this.number = number;
    this.endpoint = endpoint;
    this.key = key;
    this.ask = ask;
    this.arrived = arrived;
  }

  @Override
  public String toString() {
    return "ticket %d of %s at %s, %d tokens, came at %d"
        .formatted(
            number,
            key == null ? "nobody" : key.name(),
            endpoint.path(),
            ask.cost().totalTokens(),
            arrived);
  }
}
