package io.penstock.limit;

import io.penstock.cost.Weight;
import java.util.Map;
import java.util.TreeMap;

/** Operations on limits that regions share. All methods are safe from any thread. */
public final class RegionSharing {
  private RegionSharing() {}

  /** Makes a limit leave room for what other regions count, from now on. */
  public static void bind(Limit limit, RegionCounts regionCounts, long now) {
    limit.change(current -> current.withRegions(regionCounts, now));
  }

  /** Stops making the limit leave room for what other regions count. */
  public static void unbind(Limit limit) {
    limit.change(LimitState::withoutRegions);
  }

  /**
   * Returns what a limit counted itself since regions began to share it, by cell, for its last two
   * cells. Empty when regions do not share it.
   */
  public static Map<Long, Long> localCounts(Limit limit) {
    Map<Long, Long> counted = new TreeMap<>();
    RegionUse use = limit.state().regionUse();
    if (use != null) {
      for (long cell = use.newest() - 1; cell <= use.newest(); cell++) {
        if (use.here(cell) > 0) {
          counted.put(cell, use.here(cell));
        }
      }
    }
    return counted;
  }

  /**
   * Returns whether regions share the limit, so that {@link #localCounts} has what it counted
   * itself.
   */
  public static boolean isBound(Limit limit) {
    return limit.state().regionUse() != null;
  }

  /**
   * Records that {@code weight} has just come, and must wait or be refused. If that is the first
   * such answer in its cell, other regions are notified, unless less than half of the limit was
   * counted in that cell before. Does nothing if the weight would pass, or could never pass, or if
   * the limit is cut off from the instances of this region, which does not concern other regions.
   */
  public static void recordDenial(Limit limit, Weight weight, long now) {
    while (true) {
      LimitState state = limit.state();
      RegionUse use = state.regionUse();
      boolean no =
          use != null
              && limit.refusal() == null
              && limit.decide(weight, now) instanceof LimitAnswer.Wait
              && !limit.isAwaitingSlices(weight.amount(), now);
      RegionUse next = no ? use.withDenial(state.capacity(now), now) : use;
      if (next == null || next.equals(use)) {
        return;
      }
      if (limit.replace(state, state.withUse(next))) {
        next.regionCounts().denialListener().denied(next.deniedCell(), limit.capacity());
        return;
      }
    }
  }
}
