package io.penstock.endpoint;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Limits of endpoints; records which of them exist. Safe from any thread. */
public final class LiveLimits implements LimitSource {
  private final LocalLimitSource limits = new LocalLimitSource();
  private final Set<LimitId> live = ConcurrentHashMap.newKeySet();
  private final List<LimitId> doubled = new CopyOnWriteArrayList<>();

  /** Returns the ids of the limits that exist. */
  public Set<LimitId> live() {
    return live;
  }

  /** Returns the ids of limits that were made although they existed. */
  List<LimitId> doubled() {
    return doubled;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    if (!live.add(id)) {
      doubled.add(id);
    }
    return limits.limit(id, spec, now);
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    live.remove(from);
    live.add(to);
    return limits.change(from, to, spec, now);
  }

  @Override
  public void forget(LimitId id) {
    live.remove(id);
    limits.forget(id);
  }
}
