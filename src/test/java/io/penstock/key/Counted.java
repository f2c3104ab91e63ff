package io.penstock.key;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import io.penstock.quota.LocalLimitSource;
import java.util.HashSet;
import java.util.Set;

/** Limits, and which of them are kept. */
final class Counted implements LimitSource {
  final Set<LimitId> live = new HashSet<>();
  int configured;

  /** Is run before one is made. */
  Runnable meanwhile = () -> {};

  private final LimitSource local = new LocalLimitSource();

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    meanwhile.run();
    live.add(id);
    configured++;
    return local.limit(id, spec, now);
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    return local.change(from, to, spec, now);
  }

  @Override
  public void forget(LimitId id) {
    live.remove(id);
    local.forget(id);
  }
}
