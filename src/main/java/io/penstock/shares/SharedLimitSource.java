package io.penstock.shares;

import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LimitSource;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.sharing.SharingMode;
import io.penstock.tenant.SharedState;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limits of this instance. Those that all instances share exactly are held to shares, and the
 * instances tell each other of their use; those that are shared after the fact leave room for what
 * others have told. Debt and reserved amounts of this instance are kept as for a local limit. Safe
 * from any thread.
 */
public final class SharedLimitSource implements LimitSource {
  private final LocalLimitSource local;
  private final ShareSlots slots;
  private final Function<LimitId, SharingMode> sharing;
  private final SharedLimit.Terms terms;
  private final Ticker ticker;
  private final UnixTime time;

  @SharedState("limits")
  private final ConcurrentHashMap<LimitId, SharedLimit> held = new ConcurrentHashMap<>();

  /**
   * Creates a source without limits.
   *
   * @param sharing tells how a limit is shared; asked each time it is configured
   */
  public SharedLimitSource(
      ShareSlots slots,
      Function<LimitId, SharingMode> sharing,
      SharedLimit.Terms terms,
      Ticker ticker,
      WallClock wall) {
    this.slots = slots;
    this.sharing = sharing;
    this.terms = terms;
    this.ticker = ticker;
    this.time = new UnixTime(wall, ticker);
    this.local = new LocalLimitSource(this::made);
  }

  private void made(LimitId id, Limit limit) {
    if (shares(id, limit)) {
      share(id, limit);
    }
  }

  private boolean shares(LimitId id, Limit limit) {
    return sharing.apply(id) == SharingMode.EXACT && SharedLimit.shares(limit.spec());
  }

  private void share(LimitId id, Limit limit) {
    ShareLease lease = slots.lease(id);
    SharedLimit shared =
        new SharedLimit(limit, time, lease, () -> slots.hurry(id), terms, ticker.nanos());
    held.put(id, shared);
    slots.add(id, shared);
  }

  /** Gives up the share of a limit but for what was spent; returns what held it, or null. */
  private @Nullable SharedLimit giveUp(LimitId id) {
    SharedLimit shared = held.remove(id);
    if (shared != null) {
      slots.remove(id);
    }
    return shared;
  }

  private void release(LimitId id, long now) {
    SharedLimit shared = giveUp(id);
    if (shared != null) {
      shared.release(now);
    }
  }

  /** Applies a change of how the limit is shared; debt and reserved amounts stay. */
  private void follow(LimitId id, Limit limit, long now) {
    if (differs(id, limit)) {
      synchronized (this) {
        if (!differs(id, limit)) {
          return;
        }
        if (held.containsKey(id)) {
          release(id, now);
        } else {
          share(id, limit);
        }
      }
    }
  }

  private boolean differs(LimitId id, Limit limit) {
    return held.containsKey(id) != shares(id, limit);
  }

  /** Returns the local state of the limits. */
  public LocalLimitSource local() {
    return local;
  }

  @Override
  public Limit limit(LimitId id, LimitSpec spec, long now) {
    Limit limit = local.limit(id, spec, now);
    follow(id, limit, now);
    return counted(id, limit);
  }

  private Limit counted(LimitId id, Limit limit) {
    SharingMode mode = sharing.apply(id);
    if (mode == SharingMode.LOCAL) {
      slots.uncount(id, true);
    } else {
      slots.count(id, limit, mode == SharingMode.EVENTUAL);
    }
    return limit;
  }

  @Override
  public Limit change(LimitId from, LimitId to, LimitSpec spec, long now) {
    Limit changed = local.change(from, to, spec, now);
    SharedLimit left = from.equals(to) || !shares(to, changed) ? null : giveUp(from);
    if (left != null) {
      left.leave(now);
    } else if (!from.equals(to)) {
      release(from, now);
    }
    follow(to, changed, now);
    if (left != null) {
      left.wake();
    }
    if (!from.equals(to)) {
      slots.uncount(from, true);
    }
    return counted(to, changed);
  }

  @Override
  public void forget(LimitId id) {
    SharedLimit shared = giveUp(id);
    if (shared != null) {
      shared.end(ticker.nanos()); // requests may still wait for it
    }
    slots.uncount(id, false);
    local.forget(id);
  }
}
