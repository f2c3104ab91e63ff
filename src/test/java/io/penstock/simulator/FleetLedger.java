package io.penstock.simulator;

import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The limits of a simulated fleet as instances are configured with them, and what passed them. */
final class FleetLedger {
  private final FleetWorld world;
  private final Map<LimitId, List<SimRelease>> releases = new HashMap<>();

  /** Each limit as the instance has it that asked last. */
  private final Map<LimitId, LimitSpec> specs = new HashMap<>();

  /** The largest capacity of each limit that any instance has or had. */
  private final Map<LimitId, Long> capacities = new HashMap<>();

  /**
   * The instant since which each limit has been of one kind and length; for slots, of one distance.
   */
  private final Map<LimitId, Long> sameSince = new HashMap<>();

  private long longestWindow;
  private Runnable whenReleased = () -> {};

  FleetLedger(FleetWorld world) {
    this.world = world;
  }

  /** Sets what to run whenever an instance lets something pass. */
  void whenReleased(Runnable action) {
    whenReleased = action;
  }

  Map<LimitId, LimitSpec> specs() {
    return specs;
  }

  /** Returns the length of the longest window other than those of days. */
  long longestWindow() {
    return longestWindow;
  }

  /** Returns how long after the last fault the limits can be used as far as they admit. */
  long recoveryNanos() {
    return FleetWorld.recoveryNanos(longestWindow);
  }

  /** Records a limit as an instance is configured with it. */
  void configured(LimitId id, LimitSpec spec) {
    LimitSpec before = specs.put(id, spec);
    longestWindow = Math.max(longestWindow, SimWindows.length(spec));
    if (before != null && !isSameKind(before, spec)) {
      sameSince.put(id, world.clock().now());
      capacities.remove(id);
    }
    if (!(spec instanceof LimitSpec.Unlimited)) {
      capacities.merge(id, SimWindows.capacity(spec), Math::max);
    }
  }

  /** Returns whether limits are of one kind and length; slots, of one distance. */
  static boolean isSameKind(LimitSpec before, LimitSpec spec) {
    return before instanceof LimitSpec.Strict
        ? before.equals(spec)
        : before.getClass().equals(spec.getClass())
            && SimWindows.length(before) == SimWindows.length(spec);
  }

  List<SimRelease> releases(LimitId id) {
    return releases.getOrDefault(id, List.of());
  }

  /** Records an amount that an instance let pass a limit. */
  SimRelease released(LimitId id, FleetInstance by, long amount) {
    SimRelease release = new SimRelease(by.name(), world.clock().now(), by.unixNanos(), amount);
    releases.computeIfAbsent(id, absent -> new ArrayList<>()).add(release);
    whenReleased.run();
    return release;
  }

  /** Returns, by limit, how much more passed than may, of those of which nothing is conceded. */
  Map<LimitId, Long> over(Predicate<LimitSpec> conceded) {
    Map<LimitId, Long> over = new HashMap<>();
    releases.forEach(
        (id, each) -> {
          LimitSpec spec = specs.get(id);
          long from = sameSince.containsKey(id) ? sameSince.get(id) + recoveryNanos() : 0;
          List<SimRelease> since = each.stream().filter(release -> release.at >= from).toList();
          long most = SimWindows.most(spec, since) - capacities.get(id);
          long excess =
              spec instanceof LimitSpec.Strict strict
                  ? Math.ceilDiv(Math.max(0, most), strict.rate().intervalNanos())
                  : most;
          if (excess > 0 && !conceded.test(spec)) {
            over.put(id, excess);
          }
        });
    return over;
  }
}
