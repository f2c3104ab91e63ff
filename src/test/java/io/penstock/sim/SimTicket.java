package io.penstock.sim;

import io.penstock.cost.Cost;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request as the simulator knows it. */
final class SimTicket {
  /** Where it stands, as the simulator was told. */
  enum Stage {
    WAITING,
    RUNNING,
    SERVED,
    REFUSED,
    EXPIRED,
    CANCELLED
  }

  final long order;
  final SimEndpoint endpoint;
  final @Nullable String model;
  final Cost cost;
  final long bytes;
  final long deadline;
  final long refusesAbove;
  Stage stage = Stage.WAITING;

  /** Whether its endpoint has looked at it: what is still on the way in cannot be skipped. */
  boolean seen;

  boolean clientGone;
  long leftAt;
  int skips;
  long counted;
  List<OracleSpend> spends = List.of();
  @Nullable Pending pending;
  @Nullable Settlement settlement;

  SimTicket(
      long order,
      SimEndpoint endpoint,
      @Nullable String model,
      Cost cost,
      long bytes,
      long deadline,
      long refusesAbove) {
    this.order = order;
    this.endpoint = endpoint;
    this.model = model;
    this.cost = cost;
    this.bytes = bytes;
    this.deadline = deadline;
    this.refusesAbove = refusesAbove;
  }

  @Override
  public String toString() {
    return "#%d %s %s %s %s skips %d"
        .formatted(order, endpoint.spec.path(), model, cost, stage, skips);
  }
}
