package io.penstock.counts;

import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.PeerCounts;
import io.penstock.limit.SliceDemand;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.StoreContact;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One limit for which counts are exchanged with other instances. Guarded by {@link CountSync}. */
final class CountedLimit {
  private final LimitId id;
  private final Limit limit;
  private final boolean binds;

  /**
   * Wakes waiting tickets when the limit is cut off or connected again. The counts of other
   * instances never free anything.
   */
  private final SliceDemand demand = new SliceDemand(() -> {});

  /**
   * Highest amounts reported for cells that may still be needed. They never shrink, even if amounts
   * are given back.
   */
  private final Map<Long, Long> reported = new HashMap<>();

  /** Acknowledged amounts. */
  private final Map<Long, Long> acknowledged = new HashMap<>();

  /** Amounts under way. */
  private final Map<Long, Long> sent = new HashMap<>();

  private long since = Long.MIN_VALUE;
  private volatile PeerCounts peerCounts;

  CountedLimit(LimitId id, Limit limit, boolean binds, long shift) {
    this.id = id;
    this.limit = limit;
    this.binds = binds;
    this.peerCounts = PeerCounts.none(id.durationNanos(), shift);
  }

  boolean counts(Limit other, boolean binding) {
    return limit.equals(other) && binds == binding;
  }

  long others(long now) {
    return peerCounts.trailing(now);
  }

  Map<Long, Long> cells() {
    return peerCounts.cells();
  }

  /** Adds the counts to report: new ones, or all of them. */
  void collect(boolean whole, long shift, long now, List<Count> own) {
    counting(shift, now).forEach((cell, amount) -> reported.merge(cell, amount, Math::max));
    long oldest = Math.floorDiv(now + shift, id.durationNanos()) - 1;
    reported.keySet().removeIf(cell -> cell < oldest);
    acknowledged.keySet().removeIf(cell -> cell < oldest);
    sent.clear();
    reported.forEach(
        (cell, amount) -> {
          if (whole || amount > acknowledged.getOrDefault(cell, 0L)) {
            sent.put(cell, amount);
            own.add(new Count(id, cell, amount));
          }
        });
  }

  /**
   * Returns the amounts by cell. For limits that regions share, these are the counts of the
   * regions, which have the same cells and are exact.
   */
  private Map<Long, Long> counting(long shift, long now) {
    if (!binds && limit.sharing().isBoundToRegions()) {
      return limit.sharing().localCounts();
    }
    Map<Long, Long> counting = new HashMap<>();
    for (ChargedCell chargedCell : limit.cells(now)) {
      counting.merge(number(chargedCell, shift), chargedCell.amount(), CountedLimit::sum);
    }
    return counting;
  }

  private static long sum(long a, long b) {
    return a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b;
  }

  /**
   * Returns the cell of the Unix clock in which an amount was counted; the instant of the amount
   * tells when it was charged.
   */
  private long number(ChargedCell chargedCell, long shift) {
    long length = id.durationNanos();
    long instant =
        switch (limit.spec()) {
          // The window is the cell except for small clock differences, so its middle is safe.
          case LimitSpec.FixedWindow window -> chargedCell.atNanos() + length / 2;
          case LimitSpec spec -> chargedCell.atNanos() - 1;
        };
    return Math.floorDiv(instant + shift, length);
  }

  void apply(Count count, long shift, long now) {
    peerCounts = peerCounts.withReport(count.cell(), count.amount(), since, shift, now);
  }

  /** Records that the counts sent at the given time were acknowledged. */
  void acknowledged(long sentAt) {
    since = sentAt;
    acknowledged.putAll(sent);
  }

  void bind(long now) {
    if (binds) {
      limit.sharing().applyPeerCounts(peerCounts, demand, now);
    }
  }

  void unbind() {
    if (binds) {
      limit.sharing().dropPeerCounts();
    }
  }

  boolean binds() {
    return binds;
  }

  void follow(StoreContact contact, long now) {
    if (binds) {
      contact.apply(limit, now);
    }
  }

  void wake() {
    demand.wake();
  }
}
