package io.penstock.sim;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.endpoint.Ask;
import io.penstock.endpoint.Pending;
import io.penstock.endpoint.Settlement;
import io.penstock.refusal.Reason;
import java.util.ArrayList;
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

  /** What it asks of the core. */
  final Ask ask;

  final long arrived;
  final @Nullable String model;

  /** What it faces now. */
  SimFacing facing;

  /** How often it came back, and whether an upstream may have worked on it before. */
  int attempts;

  /** When it came back last. */
  long backAt = Long.MIN_VALUE;

  boolean ran;
  final Cost cost;

  /** What it is charged when it comes, and what it faces besides its endpoint and upstreams. */
  final List<SimQuota> arrival;

  private final List<SimQuota> more = new ArrayList<>();

  /** With what its key denies it, as the oracle sees it, and the limit that does. */
  @Nullable Reason denial;

  OracleSpend.@Nullable Metering denier;
  final long bytes;
  final long deadline;
  final long refusesAbove;
  Stage stage = Stage.WAITING;

  /** Whether its endpoint has looked at it: what is still on the way in cannot be skipped. */
  boolean seen;

  /** Whether it is in the queue, or waits for a place there; neither while nobody looked. */
  boolean queued;

  boolean blocked;
  boolean letIn;
  boolean wasBlocked;
  boolean sinceReload = true;
  boolean clientGone;

  /** Whether an operator wants it gone. */
  boolean thrownOut;

  /** Whether its flow counts it among those who wait. */
  boolean joined;

  /** What counts of it among the flows of a fair endpoint, once it went. */
  @Nullable OracleFair fair;

  /** Its ways and whether it can ever go, as they are since a configuration was applied. */
  int generation;

  List<@Nullable SimPool> ways = List.of();
  boolean possible;
  long leftAt;

  /** When it was foretold to go. */
  long foretold = Long.MIN_VALUE;

  int foretoldBehind;

  int skips;
  long counted;

  /** What it took from its upstream, and from its endpoint for all attempts. */
  List<OracleSpend> spends = List.of();

  List<OracleSpend> kept = List.of();
  private final OracleLimit.Ask request;
  private final OracleLimit.Ask running;
  private final OracleLimit.Ask input;
  private final OracleLimit.Ask output;
  private final OracleLimit.Ask tokens;
  private final OracleLimit.Ask whole;
  private final OracleLimit.Ask stated;
  private final OracleLimit.Ask most;
  @Nullable Pending pending;
  @Nullable Settlement settlement;

  SimTicket(
      long order,
      SimEndpoint endpoint,
      Ask ask,
      SimKeys.@Nullable Key key,
      @Nullable SimQuota ofModel,
      long arrived,
      long deadline,
      long refusesAbove) {
    boolean waits = key != null && key.waits();
    List<SimQuota> ofKey = key == null ? List.of() : key.facing(ask.model());
    this.arrival = waits ? List.of() : ofKey;
    if (waits) {
      more.addAll(ofKey);
    }
    if (ofModel != null) {
      more.add(ofModel);
    }
    this.order = order;
    this.endpoint = endpoint;
    this.ask = ask;
    this.arrived = arrived;
    this.model = ask.model();
    this.facing = new SimFacing(model, false, waits ? ask.account() : null, null);
    this.cost = ask.cost();
    this.bytes = ask.bytes();
    this.deadline = deadline;
    this.refusesAbove = refusesAbove;
    this.request = OracleSpend.ask(Measure.REQUESTS, Charge.TOTAL, cost);
    this.running = OracleSpend.ask(Measure.CONCURRENCY, Charge.TOTAL, cost);
    this.input = OracleSpend.ask(Measure.INPUT_TOKENS, Charge.TOTAL, cost);
    this.output = OracleSpend.ask(Measure.OUTPUT_TOKENS, Charge.TOTAL, cost);
    this.tokens = OracleSpend.ask(Measure.TOKENS, Charge.TOTAL, cost);
    this.whole = OracleSpend.ask(Measure.TOKENS, Charge.WHOLE, cost);
    this.stated = OracleSpend.ask(Measure.TOKENS, Charge.OPENAI, cost);
    this.most = OracleSpend.ask(Measure.TOKENS, Charge.BEDROCK, cost);
  }

  /** What it asks of a measure: charges differ in what they make of tokens. */
  OracleLimit.Ask ask(Measure measure, Charge charge) {
    return switch (measure) {
      case REQUESTS -> request;
      case CONCURRENCY -> running;
      case INPUT_TOKENS -> input;
      case OUTPUT_TOKENS -> output;
      case TOKENS ->
          switch (charge) {
            case TOTAL, ANTHROPIC -> tokens;
            case WHOLE -> whole;
            case OPENAI, AZURE -> stated;
            case GEMINI -> input;
            case BEDROCK -> most;
          };
    };
  }

  /** The limit of its endpoint, while that has not given; null when there is none. */
  OracleSpend.@Nullable Metering owes() {
    return facing.paid() ? null : endpoint.own;
  }

  /** What it faces besides its endpoint and upstreams, while those have not given. */
  List<SimQuota> more() {
    return facing.paid() ? List.of() : more;
  }

  /** Whether its own key lacks room for it. */
  boolean heldByKey(long now) {
    for (SimQuota each : more()) {
      if (each.personal() && each.lacks(this, now)) {
        return true;
      }
    }
    return false;
  }

  /** Whether it is in the queue for sure, and nobody took it back. */
  boolean in() {
    return queued && !clientGone;
  }

  /** Whether it runs, and that is its settlement. */
  boolean runs(Settlement which) {
    return stage == Stage.RUNNING && settlement == which;
  }

  /** It comes back, as if it had never been looked at, to what it faces from now on. */
  void comesBack(SimFacing next) {
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
  }

  @Override
  public String toString() {
    return "#%d %s %s %s %s priority %d of %s%s%s skips %d"
        .formatted(
            order,
            endpoint.spec.path(),
            model,
            cost,
            stage,
            ask.priority(),
            ask.flow().name(),
            blocked ? " blocked" : "",
            attempts > 0 ? " back " + facing : "",
            skips);
  }
}
