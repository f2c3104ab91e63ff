package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.refusal.RefusalReason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The limits of a key, a group or a model, as the oracle models them. */
class SimQuota {
  private static final long UNLIMITED = 1L << 50;

  /**
   * One limit: the core's, and the oracle's own.
   *
   * @param reason the reason of its denials, or null
   */
  record Pair(MeteredLimit core, OracleSpend.Metering metering, @Nullable RefusalReason reason) {}

  final SimClaims line;

  /** The latest instant at which a denied ticket was told to come back. */
  long promisedUntil;

  private final List<Pair> pairs = new ArrayList<>();

  /** Creates the model of a quota with limits {@code specs}, in the same order. */
  SimQuota(Quota quota, List<LimitSpec> specs, long window, long now) {
    this.line = new SimClaims(quota);
    for (int at = 0; at < specs.size(); at++) {
      MeteredLimit core = quota.limits().get(at);
      LimitSpec spec = specs.get(at);
      boolean limited =
          spec instanceof LimitSpec.Concurrency
              || (spec instanceof LimitSpec.TrailingWindow trailing
                  && trailing.capacity() < UNLIMITED);
      if (limited) {
        ProviderLedger ledger =
            new ProviderLedger(core.measure() == LimitMeasure.CONCURRENCY ? 0 : window);
        pairs.add(
            new Pair(
                core,
                new OracleSpend.Metering(
                    core.measure(), OracleLimitFactory.create(spec, now), ledger),
                core.reason()));
      }
    }
  }

  boolean personal() {
    return line.quota.ofKey();
  }

  List<Pair> pairs() {
    return pairs;
  }

  /** Returns whether it lacks room for a waiting ticket. */
  boolean lacks(SimDemand demand, long now) {
    for (Pair each : pairs) {
      OracleSpend.Metering metering = each.metering();
      if (!metering.limit().admits(demand.ask(metering.measure(), ChargeRule.TOTAL), now)) {
        return true;
      }
    }
    return false;
  }

  boolean possible(SimDemand demand) {
    for (Pair each : pairs) {
      OracleSpend.Metering metering = each.metering();
      if (!metering.limit().possible(demand.ask(metering.measure(), ChargeRule.TOTAL))) {
        return false;
      }
    }
    return true;
  }

  /** Takes the demand of a ticket, at its arrival or its grant. */
  void take(SimDemand demand, ChargeRule charge, long now, List<OracleSpend> into) {
    for (Pair each : pairs) {
      into.add(new OracleSpend(each.metering(), charge, 1, demand, now));
    }
  }
}
