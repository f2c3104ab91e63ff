package io.penstock.limit;

import io.penstock.cost.Weight;
import java.util.Map;
import java.util.TreeMap;

/** Operations on limits that regions share. All methods are safe from any thread. */
public final class RegionSharing {
  private RegionSharing() {}

  /** Makes a limit leave room for what other regions count, from now on. */
  public static void bind(Limit limit, RegionCounts regionCounts, long now) {
    limit.change(current -> RegionState.of(current, regionCounts, now));
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
    if (limit.state() instanceof RegionState state) {
      for (long cell = state.newest() - 1; cell <= state.newest(); cell++) {
        if (state.here(cell) > 0) {
          counted.put(cell, state.here(cell));
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
    return limit.state() instanceof RegionState;
  }

  /**
   * Records that {@code weight} has just come, and must wait or be refused. If that is the first
   * such answer in its cell, other regions are notified, unless less than half of the limit was
   * counted in that cell before. Does nothing if the weight would pass, or could never pass, or if
   * the limit is cut off from the instances of this region, which does not concern other regions.
   */
  public static void recordDenial(Limit limit, Weight weight, long now) {
    while (limit.state() instanceof RegionState state) {
      boolean no = limit.refusal() == null && limit.decide(weight, now) instanceof LimitAnswer.Wait;
      RegionState next =
          no && !limit.isAwaitingSlices(weight.amount(), now) ? state.withDenial(now) : state;
      if (next.equals(state)) {
        return;
      }
      if (limit.replace(state, next)) {
        next.regionCounts().denialListener().denied(next.deniedCell(), limit.capacity());
        return;
      }
    }
  }
}
