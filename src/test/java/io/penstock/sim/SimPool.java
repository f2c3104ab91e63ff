package io.penstock.sim;

import io.penstock.cost.Charge;
import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Quota;
import java.util.EnumMap;
import java.util.Map;

/** The limits of one upstream for one of its models, as the oracle models them. */
final class SimPool {
  final String name;
  final SimLine line;
  final SimGate gate;
  final Map<Measure, OracleSpend.Metering> limits = new EnumMap<>(Measure.class);

  /** The same limits, as an array for iteration. */
  OracleSpend.Metering[] meters = {};

  private final Upstream upstream;

  /**
   * All limits this pool ever had: a provider does not forget because its limit was not configured
   * for a while.
   */
  private final Map<Measure, OracleSpend.Metering> kept = new EnumMap<>(Measure.class);

  private final long window;
  UpstreamSpec spec;

  SimPool(
      Upstream upstream,
      UpstreamSpec spec,
      String name,
      Quota quota,
      SimGate gate,
      long window,
      long now) {
    this.upstream = upstream;
    this.gate = gate;
    this.name = name;
    this.line = new SimLine(quota);
    this.window = window;
    this.spec = spec;
    apply(spec, now);
  }

  void apply(UpstreamSpec next, long now) {
    spec = next;
    set(Measure.REQUESTS, next.budget().limits().rpm(), now);
    concurrency(next.budget().limits().concurrency(), now);
    set(Measure.TOKENS, next.budget().limits().tpm(), now);
    set(Measure.INPUT_TOKENS, next.budget().limits().itpm(), now);
    set(Measure.OUTPUT_TOKENS, next.budget().limits().otpm(), now);
    meters = limits.values().toArray(OracleSpend.Metering[]::new);
    widen();
  }

  private void set(Measure measure, long perWindow, long now) {
    if (perWindow == 0) {
      limits.remove(measure);
      return;
    }
    long burst = Math.max(1, (long) (perWindow * Math.min(60, spec.budget().burstSeconds()) / 60));
    LimitSpec limit =
        new LimitSpec.TrailingWindow(perWindow, window, spec.budget().guardNanos(), burst);
    set(measure, limit, new ProviderLedger(window), now);
  }

  /** Without a window: the provider sees the same as the limit, so a ledger would add nothing. */
  private void concurrency(long most, long now) {
    if (most == 0) {
      limits.remove(Measure.CONCURRENCY);
    } else {
      LimitSpec limit = new LimitSpec.Concurrency(most);
      set(Measure.CONCURRENCY, limit, new ProviderLedger(0), now);
    }
  }

  private void set(Measure measure, LimitSpec limit, ProviderLedger ledger, long now) {
    OracleSpend.Metering known = kept.get(measure);
    if (known == null) {
      known = new OracleSpend.Metering(measure, OracleLimit.of(limit, now), ledger);
      kept.put(measure, known);
    } else if (!known.limit().spec().equals(limit)) {
      known.limit().resize(limit, now);
    }
    limits.put(measure, known);
  }

  /** Returns the tokens that one token of output takes: five for the one such model at Bedrock. */
  long rate() {
    boolean dear = spec.budget().charge() == Charge.BEDROCK && name.endsWith(Scenario.DEAR_MODEL);
    return dear ? 5 : 1;
  }

  /** Takes over the measured jitter; its measurement is not checked here. */
  void widen() {
    for (OracleSpend.Metering metering : meters) {
      if (metering.limit() instanceof OracleTrailing trailing) {
        trailing.widen(upstream.jitterNanos());
      }
    }
  }
}
