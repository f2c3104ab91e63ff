package io.penstock.shares;

import io.penstock.limit.ChargedCell;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.OutageCap;
import io.penstock.limit.PeerCounts;
import io.penstock.limit.ShareDemand;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.WriterCounts;
import io.penstock.time.UnixShift;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One limit that other instances count, too. Guarded by {@link CountedLimits}. */
final class CountedLimit {
  private static final long SET_NANOS = 1_000_000_000;

  /** Use is told later that is so small a part of a limit, unless little is left of that. */
  private static final int SMALL_PARTS = 100;

  private static final int LITTLE_PARTS = 10;

  private final LimitId id;
  private final Limit limit;
  private final boolean binds;
  private final boolean isLater;

  /**
   * Wakes waiting tickets when the limit is cut off or connected again. The counts of other
   * instances never free anything.
   */
  private final ShareDemand demand = new ShareDemand(() -> {});

  private WriterCounts own;

  /**
   * The shift by which its own counts have their cells. It follows the clock only if that was set:
   * otherwise a part of a count would come to another cell, where it may be too late for it.
   */
  private long ownShift;

  private volatile PeerCounts peerCounts;

  /** All that was ever spent of an exact limit when its counts were collected last. */
  private long collectedSpent;

  /** The part of that of which others have been told. */
  private long toldSpent;

  /** When the first decision was made that nothing counted here could tell of. */
  private volatile long firstNanos = Long.MIN_VALUE / 2;

  /**
   * @param binds whether the limit leaves room for the counts of others; otherwise they are only
   *     known
   * @param isLater whether others need not hear of small changes at once
   */
  CountedLimit(LimitId id, Limit limit, boolean binds, boolean isLater, long shift) {
    this.id = id;
    this.limit = limit;
    this.binds = binds;
    this.isLater = isLater;
    this.own = new WriterCounts(id);
    this.ownShift = shift;
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

  /** Adds the counts of this instance that others have not been told of. */
  void collect(UnixShift unixShift, long now, List<Count> untold) {
    if (isLater && !isWorthTelling(now)) {
      return;
    }
    collectedSpent = limit.sharing().spent();
    if (Math.abs(unixShift.nanos() - ownShift) > SET_NANOS) {
      ownShift = unixShift.nanos();
    }
    counting(now).forEach(own::count);
    own.forget(unixShift.cell(id.durationNanos(), now) - 1);
    own.addAll(untold);
  }

  private boolean isWorthTelling(long now) {
    long grown = limit.sharing().spent() - toldSpent;
    return grown > limit.capacity() / SMALL_PARTS
        || (grown > 0 && limit.remainder(now).amount() < limit.capacity() / LITTLE_PARTS);
  }

  /**
   * Returns the amounts by cell. For limits that regions share, these are the counts of the
   * regions, which have the same cells and are exact.
   */
  private Map<Long, Long> counting(long now) {
    if (!binds && limit.sharing().isBoundToRegions()) {
      return limit.sharing().localCounts();
    }
    Map<Long, Long> counting = new HashMap<>();
    for (ChargedCell chargedCell : limit.cells(now)) {
      counting.merge(number(chargedCell), chargedCell.amount(), WriterCounts::sum);
    }
    return counting;
  }

  /**
   * Returns the cell of the Unix clock in which an amount was counted; the instant of the amount
   * tells when it was charged.
   */
  private long number(ChargedCell chargedCell) {
    long length = id.durationNanos();
    long instant =
        switch (limit.spec()) {
          // The window is the cell except for small clock differences, so its middle is safe.
          case LimitSpec.FixedWindow window -> chargedCell.atNanos() + length / 2;
          case LimitSpec spec -> chargedCell.atNanos() - 1;
        };
    return Math.floorDiv(instant + ownShift, length);
  }

  void acknowledge(long cell, long amount) {
    own.acknowledge(cell, amount);
    toldSpent = collectedSpent;
  }

  /** Forgets that others were told. */
  void tellAgain() {
    own = new WriterCounts(id);
    toldSpent = 0;
  }

  /**
   * Takes in the sum of what all others counted in a cell.
   *
   * @param since when counts were heard last; Long.MIN_VALUE for never
   */
  void hear(long cell, long sum, long since, long shift, long now) {
    peerCounts = peerCounts.withReport(cell, sum, since, shift, now);
  }

  /** Lets the limit leave room for what is known, or only know it. */
  void bind(long now) {
    if (binds) {
      limit.sharing().applyPeerCounts(peerCounts, demand, now);
    } else {
      limit.sharing().hear(news -> news.with(peerCounts));
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

  boolean isLater() {
    return isLater;
  }

  /**
   * Returns whether a decision depends on the counts of others alone, and those were not heard
   * since the first such decision. One window after it, the next one is the first again.
   *
   * @param heardNanos when the last beat that was answered was sent
   */
  boolean isCold(long heardNanos, long now) {
    if (!binds) {
      return false;
    }
    long first = firstNanos;
    if (now - first > id.durationNanos()) {
      first = limit.cells(now).isEmpty() ? now : heardNanos;
      firstNanos = first;
    }
    return heardNanos < first;
  }

  /** Makes the limit behave as the cap says, or as ever. */
  void cutOff(@Nullable OutageCap cap, long now) {
    if (!binds) {
      return;
    }
    if (cap == null) {
      limit.sharing().rejoin();
    } else {
      limit.sharing().cutOff(cap, now);
    }
    demand.wake();
  }
}
