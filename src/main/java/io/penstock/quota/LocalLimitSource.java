package io.penstock.quota;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.concurrent.ConcurrentHashMap;

/** Limits of this instance alone, kept by their id for as long as they are configured. */
public final class LocalLimitSource implements LimitSource {
  private final ConcurrentHashMap<LimitId, Limit> limits = new ConcurrentHashMap<>();

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    Limit limit = limits.computeIfAbsent(id, absent -> new Limit(spec, now));
    limit.resize(spec, now);
    return limit;
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    if (from.measure() != to.measure()) {
      throw new IllegalArgumentException(
          from + " counts " + from.measure() + ", expected the measure of " + to);
    }
    Limit kept = limits.remove(from);
    if (kept != null) {
      limits.putIfAbsent(to, kept);
    }
    return limit(to, spec, now);
  }

  @Override
  public void forget(LimitId id) {
    limits.remove(id);
  }
}
