package io.penstock.simulator;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamSpec;
import io.penstock.quota.Quota;
import java.util.EnumMap;
import java.util.Map;

/** The limits of one upstream for one of its models, as the oracle models them. */
final class SimPool {
  final String name;
  final SimClaims line;
  final SimGate gate;
  final Map<LimitMeasure, OracleSpend.Metering> limits = new EnumMap<>(LimitMeasure.class);

  /** The same limits, as an array for iteration. */
  OracleSpend.Metering[] meters = {};

  private final Upstream upstream;

  /**
   * All limits this pool ever had: a provider does not forget because its limit was not configured
   * for a while.
   */
  private final Map<LimitMeasure, OracleSpend.Metering> kept = new EnumMap<>(LimitMeasure.class);

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
    this.line = new SimClaims(quota);
    this.window = window;
    this.spec = spec;
    apply(spec, now);
  }

  void apply(UpstreamSpec next, long now) {
    spec = next;
    set(LimitMeasure.REQUESTS, next.budget().limits().rpm(), now);
    concurrency(next.budget().limits().concurrency(), now);
    set(LimitMeasure.TOKENS, next.budget().limits().tpm(), now);
    set(LimitMeasure.INPUT_TOKENS, next.budget().limits().itpm(), now);
    set(LimitMeasure.OUTPUT_TOKENS, next.budget().limits().otpm(), now);
    meters = limits.values().toArray(OracleSpend.Metering[]::new);
    widen();
  }

  private void set(LimitMeasure measure, long perWindow, long now) {
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
      limits.remove(LimitMeasure.CONCURRENCY);
    } else {
      LimitSpec limit = new LimitSpec.Concurrency(most);
      set(LimitMeasure.CONCURRENCY, limit, new ProviderLedger(0), now);
    }
  }

  private void set(LimitMeasure measure, LimitSpec limit, ProviderLedger ledger, long now) {
    OracleSpend.Metering known = kept.get(measure);
    if (known == null) {
      known = new OracleSpend.Metering(measure, OracleLimitFactory.create(limit, now), ledger);
      kept.put(measure, known);
    } else if (!known.limit().spec().equals(limit)) {
      known.limit().resize(limit, now);
    }
    limits.put(measure, known);
  }

  /** Returns whether its limits leave out what a cache is expected to have. */
  boolean expectsReads() {
    return spec.budget().charge() == ChargeRule.ANTHROPIC && spec.budget().cacheTrust() > 0;
  }

  /** Returns the tokens that one token of output takes: five for the one such model at Bedrock. */
  long rate() {
    boolean dear =
        spec.budget().charge() == ChargeRule.BEDROCK && name.endsWith(SimScenario.DEAR_MODEL);
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
