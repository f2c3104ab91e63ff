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
    all.minute(LimitMeasure.REQUESTS, limits.rpm(), RefusalReason.KEY_RPM);
    all.minute(LimitMeasure.TOKENS, limits.tpm(), RefusalReason.KEY_TPM);
    all.dayOfRequests(limits.rpd(), RefusalReason.KEY_RPD);
    all.concurrency(limits.concurrency(), RefusalReason.KEY_CONCURRENCY);
    all.budget(limits.budgetTokensPerDay(), day, RefusalReason.KEY_BUDGET);
    return all.terms;
  }

  List<KeyLimit> of(KeySpec key, String model, KeySpec.ModelLimits limits) {
    Collected all = new Collected(LimitId.Kind.KEY, key.identity().limitOwner(), model);
    all.minute(LimitMeasure.REQUESTS, limits.rpm(), RefusalReason.KEY_RPM);
    all.minute(LimitMeasure.TOKENS, limits.tpm(), RefusalReason.KEY_TPM);
    return all.terms;
  }

  List<KeyLimit> of(GroupSpec group) {
    Collected all = new Collected(LimitId.Kind.GROUP, group.name(), "");
    all.minute(LimitMeasure.REQUESTS, group.rpm(), RefusalReason.GROUP_RPM);
    all.minute(LimitMeasure.TOKENS, group.tpm(), RefusalReason.GROUP_TPM);
    all.dayOfRequests(group.rpd(), RefusalReason.GROUP_RPD);
    all.budget(group.budgetTokensPerDay(), day, RefusalReason.GROUP_BUDGET);
    all.budget(group.budgetTokensPerMonth(), month, RefusalReason.GROUP_BUDGET);
    return all.terms;
  }

  /** Collects the limits of one quota; a limit of 0 is left out. */
  private final class Collected {
    final List<KeyLimit> terms = new ArrayList<>();
    private final LimitId.Kind kind;
    private final String id;
    private final String pool;

    Collected(LimitId.Kind kind, String id, String pool) {
      this.kind = kind;
      this.id = id;
      this.pool = pool;
    }

    void minute(LimitMeasure measure, long limit, RefusalReason reason) {
      if (limit > 0) {
        long unpaced = LimitSpec.TrailingWindow.UNPACED;
        add(
            measure,
            windowNanos,
            new LimitSpec.TrailingWindow(limit, windowNanos, 0, unpaced),
            reason);
      }
    }

    void dayOfRequests(long limit, RefusalReason reason) {
      if (limit > 0) {
        LimitSpec.Day spec = new LimitSpec.Day(limit, null, 0);
        add(LimitMeasure.REQUESTS, spec.windowNanos(), spec, reason);
      }
    }

    void budget(long limit, ZoneMidnights until, RefusalReason reason) {
      if (limit > 0) {
        LimitSpec.Day spec = new LimitSpec.Day(limit, until, 0);
        add(LimitMeasure.TOKENS, spec.windowNanos(), spec, reason);
      }
    }

    void concurrency(long limit, RefusalReason reason) {
      if (limit > 0) {
        add(LimitMeasure.CONCURRENCY, 0, new LimitSpec.Concurrency(limit), reason);
      }
    }

    private void add(
        LimitMeasure measure, long durationNanos, LimitSpec spec, RefusalReason reason) {
      terms.add(new KeyLimit(new LimitId(kind, id, pool, measure, durationNanos), spec, reason));
    }
  }
}
