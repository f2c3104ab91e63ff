package io.penstock.key;

import io.penstock.cost.LimitMeasure;
import io.penstock.limit.LimitSpec;
import io.penstock.refusal.RefusalReason;
import io.penstock.sharing.LimitId;
import io.penstock.time.WallClock;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Creates the configured limits of keys and groups, each with its own id. */
final class ConfiguredLimits {
  private final long windowNanos;
  private final ZoneMidnights day;
  private final ZoneMidnights month;

  /**
   * Creates an instance.
   *
   * @param windowNanos the window of the limits per minute
   * @param wall gives the ends of days and months
   */
  ConfiguredLimits(long windowNanos, WallClock wall) {
    this.windowNanos = windowNanos;
    this.day = new ZoneMidnights(ZoneOffset.UTC, wall);
    this.month = new ZoneMidnights(ZoneOffset.UTC, wall, ZoneMidnights.Each.MONTH);
  }

  /** Returns the window of the limits per minute. */
  long windowNanos() {
    return windowNanos;
  }

  List<KeyLimit> of(KeySpec key) {
    KeySpec.Limits limits = key.terms().limits();
    Collected all = new Collected(LimitId.Kind.KEY, key.identity().limitOwner(), "");
    all.add(LimitMeasure.REQUESTS, limits.rpm(), this::minute, RefusalReason.KEY_RPM);
    all.add(LimitMeasure.TOKENS, limits.tpm(), this::minute, RefusalReason.KEY_TPM);
    all.add(LimitMeasure.REQUESTS, limits.rpd(), until(null), RefusalReason.KEY_RPD);
    all.add(
        LimitMeasure.CONCURRENCY,
        limits.concurrency(),
        LimitSpec.Concurrency::new,
        RefusalReason.KEY_CONCURRENCY);
    all.add(LimitMeasure.TOKENS, limits.budgetTokensPerDay(), until(day), RefusalReason.KEY_BUDGET);
    return all.terms;
  }

  List<KeyLimit> of(KeySpec key, String model, KeySpec.ModelLimits limits) {
    Collected all = new Collected(LimitId.Kind.KEY, key.identity().limitOwner(), model);
    all.add(LimitMeasure.REQUESTS, limits.rpm(), this::minute, RefusalReason.KEY_RPM);
    all.add(LimitMeasure.TOKENS, limits.tpm(), this::minute, RefusalReason.KEY_TPM);
    return all.terms;
  }

  List<KeyLimit> of(GroupSpec group) {
    Collected all = new Collected(LimitId.Kind.GROUP, group.name(), "");
    all.add(LimitMeasure.REQUESTS, group.rpm(), this::minute, RefusalReason.GROUP_RPM);
    all.add(LimitMeasure.TOKENS, group.tpm(), this::minute, RefusalReason.GROUP_TPM);
    all.add(LimitMeasure.REQUESTS, group.rpd(), until(null), RefusalReason.GROUP_RPD);
    all.add(
        LimitMeasure.TOKENS, group.budgetTokensPerDay(), until(day), RefusalReason.GROUP_BUDGET);
    all.add(
        LimitMeasure.TOKENS,
        group.budgetTokensPerMonth(),
        until(month),
        RefusalReason.GROUP_BUDGET);
    return all.terms;
  }

  private LimitSpec minute(long limit) {
    return LimitSpec.TrailingWindow.unpaced(limit, windowNanos);
  }

  private static LongFunction<LimitSpec> until(@Nullable ZoneMidnights midnights) {
    return limit -> new LimitSpec.Day(limit, midnights, 0);
  }

  /** Collects the limits of one quota; a limit of 0 is left out. */
  private record Collected(LimitId.Kind kind, String id, String pool, List<KeyLimit> terms) {
    Collected(LimitId.Kind kind, String id, String pool) {
      this(kind, id, pool, new ArrayList<>());
    }

    void add(
        LimitMeasure measure, long limit, LongFunction<LimitSpec> specOf, RefusalReason reason) {
      if (limit > 0) {
        LimitSpec spec = specOf.apply(limit);
        terms.add(new KeyLimit(new LimitId(kind, id, pool, measure, spec), spec, reason));
      }
    }
  }
}
