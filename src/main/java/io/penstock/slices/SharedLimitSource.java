package io.penstock.slices;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Limits of this instance; those that all instances share exactly are spent in slices. Debt and
 * reserved amounts of this instance are kept as for a local limit.
 */
public final class SharedLimitSource implements LimitSource {
  private final LocalLimitSource local;
  private final SliceSync sliceSync;
  private final Predicate<LimitId> exact;

  /**
   * Creates a source without limits.
   *
   * @param exact tells which limits are shared exactly; asked each time a limit is configured.
   *     Limits that cannot be sliced stay local
   */
  public SharedLimitSource(SliceSync sliceSync, Predicate<LimitId> exact) {
    this.sliceSync = sliceSync;
    this.exact = exact;
    this.local = new LocalLimitSource(this::made);
  }

  private void made(LimitId id, Limit limit) {
    if (slices(id, limit)) {
      sliceSync.add(id, limit);
    }
  }

  private boolean slices(LimitId id, Limit limit) {
    return exact.test(id) && SliceSync.shares(limit.spec());
  }

  /** Applies a change of how the limit is shared; debt and reserved amounts stay. */
  private void follow(LimitId id, Limit limit, long now) {
    if (differs(id, limit)) {
      synchronized (this) {
        if (!differs(id, limit)) {
          return;
        }
        SliceDemand before = limit.sharing().demand();
        if (sliceSync.has(id)) {
          sliceSync.remove(id);
          limit.sharing().unshare(now);
        } else {
          sliceSync.add(id, limit);
        }
        wake(before);
      }
    }
  }

  /**
   * Wakes tickets that waited for slices; they must wait for something else now, or for nothing.
   */
  private static void wake(@Nullable SliceDemand before) {
    if (before != null) {
      before.wake();
    }
  }

  private boolean differs(LimitId id, Limit limit) {
    return sliceSync.has(id) != slices(id, limit);
  }

  /** Returns the local state of the limits. */
  public LocalLimitSource local() {
    return local;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    Limit limit = local.limit(id, spec, now);
    follow(id, limit, now);
    return limit;
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    Limit changed = local.change(from, to, spec, now);
    if (from.equals(to)) {
      follow(to, changed, now);
      return changed;
    }
    SliceDemand before = changed.sharing().demand();
    sliceSync.remove(from);
    if (!sliceSync.has(to)) {
      made(to, changed);
    }
    if (!sliceSync.has(to)) {
      changed.sharing().unshare(now);
    }
    wake(before);
    return changed;
  }

  @Override
  public void forget(LimitId id) {
    sliceSync.remove(id);
    local.forget(id);
  }
}
