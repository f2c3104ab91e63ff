package io.penstock.simulator;

import io.penstock.cost.Cost;
import io.penstock.dispatch.CacheForecast;
import io.penstock.dispatch.ParkedTicket;
import io.penstock.dispatch.TicketRequest;
import io.penstock.dispatch.TicketSettlement;
import io.penstock.pool.AttemptFailure;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One request as the simulator knows it. */
final class SimTicket {
  /** Its stage, as reported to the simulator. */
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

  /** The request as submitted to the core. */
  final TicketRequest ask;

  final long arrived;
  final @Nullable String model;

  /** The value that decides its present routes. */
  SimLaneKey facing;

  /** How often it came back. */
  int attempts;

  /** When it came back last. */
  long backAt = Long.MIN_VALUE;

  /** The costliest failure before; of refusals it does not matter which. */
  AttemptFailure past = AttemptFailure.UNSENT;

  /** Its expected cost; it relies on no cache when it comes back. */
  Cost cost;

  SimDemand demand;

  /** Its prompt if that begins with something that providers cache, or null. */
  @Nullable SimPrompt prompt;

  /** Those with the same new beginning, or null. */
  @Nullable SimHold hold;

  /** The pool by which it went last, and what its cache decides of the answer. */
  @Nullable SimPool pool;

  @Nullable SimAnswer answer;

  /** Whether the answer has stated its input. */
  boolean stated;

  /** The quotas charged at arrival, and those it faces besides its endpoint's and upstreams'. */
  final List<SimQuota> arrival;

  private final List<SimQuota> more = new ArrayList<>();

  /** The reason of its key's denial as the oracle sees it, and the limit that denies it. */
  @Nullable RefusalReason denial;

  OracleSpend.@Nullable Metering denier;
  final long bytes;
  final long deadline;
  final long refusesAbove;
  Stage stage = Stage.WAITING;

  /** Whether its endpoint has looked at it: a ticket that has not arrived yet cannot be skipped. */
  boolean seen;

  /** Whether it is in the queue, or waits for a place there; neither before it was looked at. */
  boolean queued;

  boolean blocked;
  boolean letIn;
  boolean wasBlocked;
  boolean sinceReload = true;
  boolean clientGone;

  /** Whether an operator removes it. */
  boolean thrownOut;

  /** Whether its flow counts it as waiting. */
  boolean joined;

  /** The flows in which it counts, once it was granted at a fair endpoint. */
  @Nullable OracleFair fair;

  /** Its routes and whether it can ever go, under the present configuration. */
  int generation;

  List<@Nullable SimPool> ways = List.of();
  boolean possible;
  long leftAt;

  /** The computed instant of its grant. */
  long foretold = Long.MIN_VALUE;

  int foretoldBehind;

  int skips;
  long counted;

  /** The charges of its upstream, and those of its endpoint for all attempts. */
  List<OracleSpend> spends = List.of();

  List<OracleSpend> kept = List.of();
  @Nullable ParkedTicket parkedTicket;
  @Nullable TicketSettlement settlement;

  SimTicket(
      long order,
      SimEndpoint endpoint,
      TicketRequest ticketRequest,
      SimKeys.@Nullable Key key,
      @Nullable SimQuota ofModel,
      long arrived,
      long deadline,
      long refusesAbove) {
    boolean waits = key != null && key.waits();
    List<SimQuota> ofKey = key == null ? List.of() : key.facing(ticketRequest.model());
    this.arrival = waits ? List.of() : ofKey;
    if (waits) {
      more.addAll(ofKey);
    }
    if (ofModel != null) {
      more.add(ofModel);
    }
    this.order = order;
    this.endpoint = endpoint;
    this.ask = ticketRequest;
    this.arrived = arrived;
    this.model = ticketRequest.model();
    this.facing =
        new SimLaneKey(model, false, waits ? ticketRequest.sender().account() : null, null, null);
    this.cost = ticketRequest.cost();
    this.demand = new SimDemand(cost);
    this.bytes = ticketRequest.bytes();
    this.deadline = deadline;
    this.refusesAbove = refusesAbove;
  }

  /** Returns the limit of its endpoint while that is not charged yet; null when there is none. */
  OracleSpend.@Nullable Metering owes() {
    return facing.paid() ? null : endpoint.own;
  }

  /**
   * Returns the quotas besides those of its endpoint and upstreams, while they are not charged yet.
   */
  List<SimQuota> more() {
    return facing.paid() ? List.of() : more;
  }

  /** Makes it wait with others for a warm cache. */
  void behind(SimHold group) {
    facing = facing.behind(group);
    more.add(group);
    skips = 0;
  }

  /** Returns whether it waits for another that is to warm a cache. */
  boolean heldByWarmup(long now) {
    SimHold with = facing.hold();
    return with != null && with.holds(now);
  }

  /** Returns whether its own key lacks room for it. */
  boolean heldByKey(long now) {
    for (SimQuota each : more()) {
      if (each.personal() && each.lacks(demand, now)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether a quota is kept for another ticket, so that it may not take from it. */
  boolean barredBy(SimClaims line) {
    return line.keptFrom(order, facing.paid());
  }

  /** Returns whether it surely is in the queue and not cancelled. */
  boolean in() {
    return queued && !clientGone;
  }

  /** Returns whether it runs with that settlement. */
  boolean runs(TicketSettlement which) {
    return stage == Stage.RUNNING && settlement == which;
  }

  /** Expects anew how much of its input a cache has; returns whether that changed. */
  boolean expectAnew(long now) {
    CacheForecast forecast = ask.cacheUse().forecast();
    if (forecast == null || facing.paid()) {
      return false;
    }
    Cost before = cost;
    cost = forecast.expect(cost, now);
    demand = new SimDemand(cost);
    return !cost.equals(before);
  }

  /** Makes it come back as if it had never been looked at, with other routes. */
  void comesBack(SimLaneKey next) {
    facing = next;
    generation = 0;
    attempts++;
    spends = List.of();
    settlement = null;
    stage = Stage.WAITING;
    seen = false;
    letIn = false;
    wasBlocked = false;
    skips = 0;
    counted = 0;
    cost = cost.withCached(0);
    demand = new SimDemand(cost);
    pool = null;
    answer = null;
    stated = false;
  }

  @Override
  public String toString() {
    return "#%d %s %s %s %s priority %d of %s%s%s%s skips %d"
        .formatted(
            order,
            endpoint.spec.path(),
            model,
            cost,
            stage,
            ask.sender().priority(),
            ask.flow().name(),
            blocked ? " blocked" : "",
            attempts > 0 ? " back " + facing : "",
            facing.hold() == null ? "" : " behind " + facing.hold(),
            skips);
  }
}
