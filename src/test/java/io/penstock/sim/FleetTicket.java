package io.penstock.sim;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Endpoint;
import io.penstock.endpoint.Pending;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request at one instance of a simulated fleet. */
final class FleetTicket {
  final long number;
  final Endpoint endpoint;
  final @Nullable FleetKey key;
  final Cost cost;

  /** The true time at which it arrived. */
  final long arrived;

  /** Whether its key was charged at arrival, and for what. */
  boolean charged;

  /** The amounts that it took from limits of its key when it arrived. */
  final List<SimRelease> atArrival = new ArrayList<>();

  boolean waits;
  @Nullable Pending pending;

  FleetTicket(long number, Endpoint endpoint, @Nullable FleetKey key, Cost cost, long arrived) {
    this.number = number;
    this.endpoint = endpoint;
    this.key = key;
    this.cost = cost;
    this.arrived = arrived;
  }

  @Override
  public String toString() {
    return "ticket %d of %s at %s, %d tokens, came at %d"
        .formatted(
            number,
            key == null ? "nobody" : key.name(),
            endpoint.path(),
            cost.totalTokens(),
            arrived);
  }
}
