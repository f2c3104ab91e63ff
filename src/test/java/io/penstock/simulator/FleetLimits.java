package io.penstock.simulator;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The limits of one instance of a simulated fleet, and the id of each. */
final class FleetLimits implements LimitSource {
  /** Smallest capacity that stands for no limit at all. */
  private static final long UNLIMITED = 1L << 40;

  private final LimitSource source;
  private final IdentityHashMap<Limit, LimitId> ids = new IdentityHashMap<>();
  private final Map<LimitId, Limit> limits = new HashMap<>();
  private final Map<LimitId, LimitSpec> specs = new HashMap<>();
  private final FleetLedger ledger;

  /** Creates an empty source. */
  FleetLimits(LimitSource source, FleetLedger ledger) {
    this.source = source;
    this.ledger = ledger;
  }

  static long durationNanos(LimitSpec spec) {
    return switch (spec) {
      case LimitSpec.TrailingWindow window -> window.windowNanos();
      case LimitSpec.Day day -> LimitSpec.Day.NANOS;
      default -> 0;
    };
  }

  /** Returns the id of a limit, or null if it has no bound. */
  @Nullable LimitId idOf(Limit limit) {
    LimitId id = ids.get(limit);
    boolean limits = !(limit.spec() instanceof LimitSpec.Unlimited) && limit.capacity() < UNLIMITED;
    return id != null && limits ? id : null;
  }

  /** Returns the present configuration of a limit here, or null if it is unknown. */
  @Nullable LimitSpec spec(LimitId id) {
    return specs.get(id);
  }

  /** Throws if a shared limit would admit anything although the lease has ended. */
  void assertNothingLeft(long now) {
    limits.forEach(
        (id, limit) -> {
          if (limit.sharing().contact() != null && limit.room(now) > 0) {
            throw new InvariantViolation(
                "%d of %s may be spent of a share that others may have got"
                    .formatted(limit.room(now), id));
          }
        });
  }

  private Limit known(LimitId id, LimitSpec spec, Limit limit) {
    ids.put(limit, id);
    limits.put(id, limit);
    specs.put(id, spec);
    ledger.configured(id, spec);
    return limit;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    return known(id, spec, source.limit(id, spec, now));
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    limits.remove(from);
    return known(to, spec, source.change(from, to, spec, now));
  }

  @Override
  public void forget(LimitId id) {
    limits.remove(id);
    source.forget(id);
  }
}
