package io.penstock.counts;

import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.PeerCounts;
import io.penstock.limit.ShareDemand;
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
  private final ShareDemand demand = new ShareDemand(() -> {});

  private final WriterCounts writerCounts;
  private long since = Long.MIN_VALUE;
  private volatile PeerCounts peerCounts;

  CountedLimit(LimitId id, Limit limit, boolean binds, long shift) {
    this.id = id;
    this.limit = limit;
    this.binds = binds;
    this.writerCounts = new WriterCounts(id);
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
  void collect(boolean whole, UnixShift unixShift, long now, List<Count> own) {
    counting(unixShift.nanos(), now).forEach(writerCounts::count);
    writerCounts.forget(unixShift.cell(id.durationNanos(), now) - 1);
    writerCounts.addAll(whole, own);
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
      counting.merge(number(chargedCell, shift), chargedCell.amount(), WriterCounts::sum);
    }
    return counting;
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

  /** Records that an exchange that was sent at the given time was answered. */
  void answered(long sentAt) {
    since = sentAt;
  }

  void acknowledge(Count count) {
    writerCounts.acknowledge(count.cell(), count.amount());
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
