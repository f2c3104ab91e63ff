package io.penstock.region;

import io.penstock.limit.Limit;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.DenialStore.Denial;
import io.penstock.sharing.LimitId;
import io.penstock.time.UnixShift;
import io.penstock.time.WallClock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All known limits that regions share: the limits of this instance, and limits that only other
 * regions have reported so far, since a request for them may reach this instance next. Guarded by
 * {@link RegionSync}.
 */
final class RegionLimits {
  /**
   * From this number of limits on that this instance does not have, further ones are not recorded.
   */
  static final int MOST_UNKNOWN = 100_000;

  /** Callback for denials. */
  interface Denied {
    void denied(LimitId id, long cell, long limit);
  }

  private final DatabaseRegions.@Nullable LocalPeers localPeers;
  private final Denied denied;
  private final RegionStatistics regionStatistics;
  private final Map<LimitId, RegionLimit> all = new HashMap<>();

  /** Number of known limits that this instance does not have. */
  private int unknown;

  private final UnixShift unixShift;

  RegionLimits(
      DatabaseRegions.@Nullable LocalPeers localPeers,
      WallClock wall,
      Denied denied,
      RegionStatistics regionStatistics,
      long now) {
    this.localPeers = localPeers;
    this.denied = denied;
    this.regionStatistics = regionStatistics;
    this.unixShift = new UnixShift(wall, now);
  }

  void join(LimitId id, Limit limit, long now) {
    RegionLimit regionLimit = all.get(id);
    if (regionLimit == null) {
      regionLimit = new RegionLimit(id, localPeers == null);
      all.put(id, regionLimit);
    } else if (regionLimit.has(limit)) {
      return;
    } else {
      unknown -= regionLimit.joined() ? 0 : 1;
    }
    regionLimit.join(limit);
    bind(id, regionLimit, now);
  }

  void leave(LimitId id) {
    RegionLimit regionLimit = all.get(id);
    if (regionLimit != null && regionLimit.joined()) {
      regionLimit.leave();
      unknown++;
    }
  }

  private void bind(LimitId id, RegionLimit regionLimit, long now) {
    regionLimit.bind(unixShift.nanos(), (cell, limit) -> denied.denied(id, cell, limit), now);
  }

  /**
   * Applies changes that nobody reports: the clock of this machine may have been set, and other
   * instances of this region may have counted more.
   */
  void follow(long now) {
    boolean set = unixShift.follow(now);
    if (!set && localPeers == null) {
      return;
    }
    all.forEach(
        (id, regionLimit) -> {
          if (localPeers != null && regionLimit.joined()) {
            regionLimit.setLocalPeers(localPeers.counted(id), cell(id, now) - 1);
          }
          bind(id, regionLimit, now);
        });
  }

  private long cell(LimitId id, long now) {
    return unixShift.cell(id.durationNanos(), now);
  }

  /**
   * Forgets cells that no longer count, and limits without such cells that this instance does not
   * have.
   */
  void forget(long now) {
    all.entrySet()
        .removeIf(
            each -> {
              boolean removed = each.getValue().forget(cell(each.getKey(), now) - 1);
              unknown -= removed ? 1 : 0;
              return removed;
            });
  }

  /**
   * Returns the counts of all limits that are due to be published, in no particular order.
   *
   * @param share of a limit that must be used before its counts are published, 0 to 1
   */
  List<Count> collectDue(double share) {
    List<Count> own = new ArrayList<>();
    all.values().forEach(regionLimit -> regionLimit.collectDue(share, own));
    return own;
  }

  void acknowledge(Count count) {
    RegionLimit regionLimit = all.get(count.id());
    if (regionLimit != null) {
      regionLimit.acknowledge(count.cell(), count.amount());
    }
  }

  void restore(Count count, long now) {
    take(
        count.id(),
        count.cell(),
        now,
        regionLimit -> regionLimit.restore(count.cell(), count.amount()));
  }

  void applyCount(Count count, long now) {
    take(
        count.id(),
        count.cell(),
        now,
        regionLimit -> regionLimit.setOtherRegions(count.cell(), count.amount()));
  }

  void applyDenial(Denial denial, long now) {
    LimitId id =
        LimitNaming.limit(denial.namespace(), denial.identifier(), denial.durationMillis());
    if (id == null) {
      regionStatistics.ignored(1);
    } else {
      take(
          id,
          denial.sequence(),
          now,
          regionLimit -> regionLimit.recordDenial(denial.sequence(), denial.limit()));
    }
  }

  /**
   * Applies news of a cell, or ignores it unless the cell still counts. The next cell is accepted
   * as well, because a clock that is ahead begins it sooner.
   */
  private void take(LimitId id, long cell, long now, Consumer<RegionLimit> news) {
    boolean counts = Math.abs(cell - cell(id, now)) <= 1;
    RegionLimit regionLimit = counts ? known(id) : null;
    if (regionLimit == null) {
      regionStatistics.ignored(1);
      return;
    }
    news.accept(regionLimit);
    bind(id, regionLimit, now);
  }

  private @Nullable RegionLimit known(LimitId id) {
    RegionLimit regionLimit = all.get(id);
    if (regionLimit == null && unknown < MOST_UNKNOWN) {
      regionLimit = new RegionLimit(id, localPeers == null);
      all.put(id, regionLimit);
      unknown++;
    }
    return regionLimit;
  }
}
