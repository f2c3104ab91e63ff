package io.penstock.shares;

import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.tenant.SharedState;
import io.penstock.time.WallClock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lets decisions wait for what other instances have counted just now, where what is known may be
 * too old: about a limit of which this instance has counted nothing itself, and, if that is asked
 * for, about one that denied a request. The latter lasts until the end of the denied cell of a
 * fixed window, else for one window from the denied request. All that wait are answered by one
 * beat. Safe from any thread; no method blocks.
 */
public final class FreshCounts {
  /** Longest wait after a denial; then the counts that are known decide. */
  public static final long DENIED_NANOS = 300_000_000;

  /** Longest wait about a limit of which nothing was counted here. */
  public static final long COLD_NANOS = 50_000_000;

  /** Counts that are no older need not be heard anew. */
  static final long FRESH_NANOS = 20_000_000;

  /** Most limits that are remembered at once. Further denied limits are decided without a beat. */
  static final int MOST = 10_000;

  private final ShareSlots slots;
  private final Predicate<LimitId> counted;
  private final WallClock wall;

  /** Until when each limit that denied a request is denied. */
  @SharedState("limits")
  private final Map<LimitId, Long> denied = new HashMap<>();

  /**
   * Creates an object without denials.
   *
   * @param counted whether other instances count a limit, too, after the fact; other limits are
   *     never waited for
   * @param wall gives the ends of the cells of fixed windows
   */
  public FreshCounts(ShareSlots slots, Predicate<LimitId> counted, WallClock wall) {
    this.slots = slots;
    this.counted = counted;
    this.wall = wall;
  }

  /** Remembers that a limit denied a request that arrived at {@code now}. */
  public synchronized void denied(LimitId id, LimitSpec spec, long now) {
    if (!counted.test(id) || id.durationNanos() == 0) {
      return;
    }
    if (denied.size() >= MOST) {
      denied.values().removeIf(until -> until <= now);
    }
    if (denied.size() < MOST || denied.containsKey(id)) {
      denied.merge(id, until(id, spec, now), Math::max);
    }
  }

  private long until(LimitId id, LimitSpec spec, long now) {
    long length = id.durationNanos();
    return spec instanceof LimitSpec.FixedWindow
        ? now + length - Math.floorMod(wall.unixMillis() * 1_000_000, length)
        : now + length;
  }

  /** Returns whether a limit has denied a request, so that a decision may have to wait. */
  public synchronized boolean isDenied(LimitId id, long now) {
    Long until = denied.get(id);
    if (until != null && until <= now) {
      denied.remove(id);
      return false;
    }
    return until != null;
  }

  /** Returns whether a decision about any limit may have to wait. */
  public boolean mayWait() {
    return !slots.isNone();
  }

  /**
   * Returns what a decision about a limit should wait for, or null when it may be made now.
   *
   * @param afterDenial whether to wait, too, if the limit denied a request
   * @return completes with whether the counts of others are known; it may never complete
   */
  public @Nullable CompletionStage<Boolean> before(LimitId id, boolean afterDenial, long now) {
    boolean isDenied = afterDenial && isDenied(id, now);
    boolean isCold = id.durationNanos() > 0 && counted.test(id) && slots.isCold(id, now);
    boolean waits = isCold || (isDenied && !slots.isHeard(id, FRESH_NANOS, now));
    return waits ? slots.hearAnew(id) : null;
  }
}
