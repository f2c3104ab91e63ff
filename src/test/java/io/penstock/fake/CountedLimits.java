package io.penstock.fake;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import java.util.HashSet;
import java.util.Set;

/** Limits of one instance, with the set of configured limits and the number of configurations. */
public final class CountedLimits implements LimitSource {
  /** Limits that are configured and not forgotten. */
  public final Set<LimitId> live = new HashSet<>();

  /** Number of configurations. */
  public int configured;

  /** Runs before a limit is created. */
  public Runnable meanwhile = () -> {};

  private final LimitSource local = new LocalLimitSource();

  /** Creates a source without limits. */
  public CountedLimits() {}

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
