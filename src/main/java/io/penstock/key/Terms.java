package io.penstock.key;

import io.penstock.cost.Measure;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.refusal.Reason;
import io.penstock.time.Midnight;
import io.penstock.time.WallClock;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Creates the configured limits of keys and groups, each with its own id. */
final class Terms {
  private final long windowNanos;
  private final Midnight day;
  private final Midnight month;

  /**
   * Creates an instance.
   *
   * @param windowNanos the window of the limits per minute
   * @param wall gives the ends of days and months
   */
  Terms(long windowNanos, WallClock wall) {
    this.windowNanos = windowNanos;
    this.day = new Midnight(ZoneOffset.UTC, wall);
    this.month = new Midnight(ZoneOffset.UTC, wall, Midnight.Each.MONTH);
  }

  List<KeyLimit> of(KeySpec key) {
    KeySpec.Limits limits = key.limits();
    Collected all = new Collected(LimitId.Kind.KEY, key.name(), "");
    all.minute(Measure.REQUESTS, limits.rpm(), Reason.KEY_RPM);
    all.minute(Measure.TOKENS, limits.tpm(), Reason.KEY_TPM);
    all.dayOfRequests(limits.rpd(), Reason.KEY_RPD);
    all.concurrency(limits.concurrency(), Reason.KEY_CONCURRENCY);
    all.budget(limits.budgetTokensPerDay(), day, Reason.KEY_BUDGET);
    return all.terms;
  }

  List<KeyLimit> of(KeySpec key, String model, KeySpec.ModelLimits limits) {
    Collected all = new Collected(LimitId.Kind.KEY, key.name(), model);
    all.minute(Measure.REQUESTS, limits.rpm(), Reason.KEY_RPM);
    all.minute(Measure.TOKENS, limits.tpm(), Reason.KEY_TPM);
    return all.terms;
  }

  List<KeyLimit> of(GroupSpec group) {
    Collected all = new Collected(LimitId.Kind.GROUP, group.name(), "");
    all.minute(Measure.REQUESTS, group.rpm(), Reason.GROUP_RPM);
    all.minute(Measure.TOKENS, group.tpm(), Reason.GROUP_TPM);
    all.dayOfRequests(group.rpd(), Reason.GROUP_RPD);
    all.budget(group.budgetTokensPerDay(), day, Reason.GROUP_BUDGET);
    all.budget(group.budgetTokensPerMonth(), month, Reason.GROUP_BUDGET);
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

    void minute(Measure measure, long limit, Reason reason) {
      if (limit > 0) {
        long unpaced = LimitSpec.TrailingWindow.UNPACED;
        add(
            measure,
            windowNanos,
            new LimitSpec.TrailingWindow(limit, windowNanos, 0, unpaced),
            reason);
      }
    }

    void dayOfRequests(long limit, Reason reason) {
      if (limit > 0) {
        LimitSpec.Day spec = new LimitSpec.Day(limit, null, 0);
        add(Measure.REQUESTS, spec.lengthNanos(), spec, reason);
      }
    }

    void budget(long limit, Midnight until, Reason reason) {
      if (limit > 0) {
        LimitSpec.Day spec = new LimitSpec.Day(limit, until, 0);
        add(Measure.TOKENS, spec.lengthNanos(), spec, reason);
      }
    }

    void concurrency(long limit, Reason reason) {
      if (limit > 0) {
        add(Measure.CONCURRENCY, 0, new LimitSpec.Concurrency(limit), reason);
      }
    }

    private void add(Measure measure, long durationNanos, LimitSpec spec, Reason reason) {
      terms.add(new KeyLimit(new LimitId(kind, id, pool, measure, durationNanos), spec, reason));
    }
  }
}
