package io.penstock.region;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.RegionCells;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import java.util.function.Predicate;

/**
 * Limits of another source, some of them shared with other regions: the limits of keys and groups
 * with a window of at least 60 s leave room for the counts of other regions. Thread-safe.
 */
final class RegionLimitSource implements LimitSource {
  private final LimitSource source;
  private final RegionSync regionSync;
  private final Predicate<LimitId> local;

  /**
   * Creates a source on top of another.
   *
   * @param local tells which limits are not shared; asked each time a limit is configured
   */
  RegionLimitSource(LimitSource source, RegionSync regionSync, Predicate<LimitId> local) {
    this.source = source;
    this.regionSync = regionSync;
    this.local = local;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    return shared(id, source.limit(id, spec, now));
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    if (!from.equals(to)) {
      regionSync.leave(from); // its counts belong to cells of another length
    }
    return shared(to, source.change(from, to, spec, now));
  }

  private Limit shared(LimitId id, Limit limit) {
    if (shares(id, limit.spec()) && !local.test(id)) {
      regionSync.join(id, limit);
    } else {
      regionSync.leave(id);
    }
    return limit;
  }

  /** Returns whether regions can share a limit of that kind. */
  static boolean shares(LimitId id, LimitSpec spec) {
    boolean ofCallers = id.kind() == LimitId.Kind.KEY || id.kind() == LimitId.Kind.GROUP;
    return ofCallers
        && RegionCells.cellNanos(spec) != 0
        && RegionCells.cellNanos(spec) == id.durationNanos()
        && LimitNaming.namespace(id) != null;
  }

  @Override
  public void forget(LimitId id) {
    regionSync.leave(id);
    source.forget(id);
  }
}
