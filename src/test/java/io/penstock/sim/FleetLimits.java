package io.penstock.sim;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/** The limits of one instance of a simulated fleet; it remembers which id each has. */
final class FleetLimits implements LimitSource {
  private final LimitSource source;
  private final IdentityHashMap<Limit, LimitId> ids = new IdentityHashMap<>();
  private final FleetSimulation fleet;

  /** Makes a source of none. */
  FleetLimits(LimitSource source, FleetSimulation fleet) {
    this.source = source;
    this.fleet = fleet;
  }

  static long durationNanos(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.TrailingWindow window -> window.windowNanos();
      case LimitSpec.Day day -> LimitSpec.Day.NANOS;
      default -> 0;
    };
  }

  /** Returns the id of a limit, or null where it limits nothing. */
  @Nullable LimitId idOf(Limit limit) {
    LimitId id = ids.get(limit);
    return id == null || fleet.specs().get(id) instanceof LimitSpec.Unlimited ? null : id;
  }

  private Limit known(LimitId id, LimitSpec spec, Limit limit) {
    ids.put(limit, id);
    fleet.configured(id, spec);
    return limit;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    return known(id, spec, source.limit(id, spec, now));
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    return known(to, spec, source.change(from, to, spec, now));
  }

  @Override
  public void forget(LimitId id) {
    source.forget(id);
  }
}
