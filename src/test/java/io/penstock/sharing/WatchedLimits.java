package io.penstock.sharing;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.HashSet;
import java.util.Set;

/** Local source of limits that remembers which limits exist. */
public final class WatchedLimits implements LimitSource {
  public final Set<LimitId> ids = new HashSet<>();
  private final LocalLimitSource source = new LocalLimitSource();

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    ids.add(id);
    return source.limit(id, spec, now);
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    throw new AssertionError("no id changes");
  }

  @Override
  public void forget(LimitId id) {
    ids.remove(id);
    source.forget(id);
  }
}
