package io.penstock.region;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Regional;
import io.penstock.quota.LimitId;
import io.penstock.quota.LimitSource;
import java.util.function.Predicate;

/**
 * Limits of another source, of which those of keys and groups leave room for what other regions
 * count, where they have a window of 60 s or more. Safe from any thread.
 */
final class RegionLimitSource implements LimitSource {
  private final LimitSource source;
  private final Frontier frontier;
  private final Predicate<LimitId> local;

  /**
   * Makes one.
   *
   * @param local which limits are nobody else's, asked each time they are configured
   */
  RegionLimitSource(LimitSource source, Frontier frontier, Predicate<LimitId> local) {
    this.source = source;
    this.frontier = frontier;
    this.local = local;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    return told(id, source.limit(id, spec, now));
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    if (!from.equals(to)) {
      frontier.leave(from); // what it counted is of cells of another length
    }
    return told(to, source.change(from, to, spec, now));
  }

  private Limit told(LimitId id, Limit limit) {
    if (shares(id, limit.spec()) && !local.test(id)) {
      frontier.join(id, limit);
    } else {
      frontier.leave(id);
    }
    return limit;
  }

  /** Returns whether regions can share a limit of that kind. */
  static boolean shares(LimitId id, LimitSpec spec) {
    boolean ofCallers = id.kind() == LimitId.Kind.KEY || id.kind() == LimitId.Kind.GROUP;
    return ofCallers
        && Regional.cellNanos(spec) != 0
        && Regional.cellNanos(spec) == id.durationNanos()
        && Naming.namespace(id) != null;
  }

  @Override
  public void forget(LimitId id) {
    frontier.leave(id);
    source.forget(id);
  }
}
