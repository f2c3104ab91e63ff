package io.penstock.limit;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Operations on a limit by those who share it with other instances or regions. Safe from any
 * thread.
 */
public final class LimitSharing {
  private final Limit limit;

  LimitSharing(Limit limit) {
    this.limit = limit;
  }

  /** Returns the demand of waiters for what other instances leave of the limit, or null. */
  public @Nullable SliceDemand demand() {
    return limit.state().sliceDemand();
  }

  /** Returns whether only slices are lacking, and some may arrive, or begin, at any moment. */
  public boolean isAwaitingSlices(long amount, long now) {
    return limit.state().isAwaitingSlices(amount, now);
  }

  /** Returns whether only slices that are not here would let {@code amount} pass. */
  public boolean needsMissingSlices(long amount, long now) {
    return limit.state().roomFreeAt(amount, now) == Ticker.NEVER;
  }

  /** Returns whether other instances of this region spend the limit, too. */
  public boolean isShared() {
    return limit.state().isShared();
  }

  /** Returns whether an outage cuts it off from others that spend it. */
  public boolean isCutOff() {
    return limit.state().outageCap() != null;
  }

  /** Returns the refusal for all requests while the limit is cut off and shut; otherwise null. */
  public @Nullable Refusal refusal() {
    return limit.state().outageCap() instanceof OutageCap.Shut(Refusal refusal) ? refusal : null;
  }

  /**
   * Makes the limit leave room for what others counted, if it has a window. Debt and history stay
   * those that were counted here.
   *
   * @param peerCounts all that was heard of them, which replaces what was known before
   * @param sliceDemand the waiters to wake when the limit rejoins others or is cut off from them
   */
  public void applyPeerCounts(PeerCounts peerCounts, SliceDemand sliceDemand, long now) {
    limit.change(each -> each.counted(peerCounts, sliceDemand, now));
  }

  /** Stops leaving room for what others counted. */
  public void dropPeerCounts() {
    limit.change(LimitState::uncounted);
  }

  /**
   * Applies {@code outageCap} to a limit that is shared or counted with others, until it
   * {@linkplain #rejoin rejoins} them. Has no effect on other limits.
   */
  public void cutOff(OutageCap outageCap, long now) {
    limit.change(each -> each.cutOff(outageCap, now));
  }

  /** Undoes {@link #cutOff}. Debt and reserved output stay. */
  public void rejoin() {
    limit.change(LimitState::rejoined);
  }

  /**
   * Shares the limit with other instances: from now on no more passes than what is {@linkplain
   * #addSlices granted}. Debt and reserved output stay; earlier slices are forgotten.
   */
  public void share(SliceDemand sliceDemand, long now) {
    limit.change(each -> each.shared(sliceDemand, now));
  }

  /** Undoes {@link #share} and {@link #holdShares}. Debt and reserved output stay. */
  public void unshare(long now) {
    limit.change(each -> each.released(now).unshared(now));
  }

  /**
   * Holds the limit to shares of it from now on; the first one is 0. Debt and reserved output stay.
   *
   * @param lease tells whether a share may be spent at an instant
   * @param demand the waiters for a larger share
   */
  public void holdShares(LongPredicate lease, SliceDemand demand, long now) {
    limit.change(each -> each.holding(lease, demand, now));
  }

  /** Changes the share that the limit is held to; returns what is spent of it, and waited for. */
  public ShareStanding changeShare(ShareChange change, long now) {
    while (true) {
      LimitState current = limit.state();
      HeldShare share = Objects.requireNonNull(current.heldShare(), "the limit holds no share");
      LimitState next = current.holding(change.of(share, current.local(), now), now);
      if (limit.replace(current, next)) {
        return standing(next, change.grid(), now);
      }
    }
  }

  /**
   * Returns what is spent of a limit that is held to a share, and waited for.
   *
   * @param grid the position of fixed windows; null for other kinds
   */
  public ShareStanding standing(@Nullable CellGrid grid, long now) {
    return standing(limit.state(), grid, now);
  }

  private static ShareStanding standing(LimitState state, @Nullable CellGrid grid, long now) {
    HeldShare share = Objects.requireNonNull(state.heldShare(), "the limit holds no share");
    SliceDemand demand = Objects.requireNonNull(state.sliceDemand());
    return share.standing(state.local(), grid, state.capacity(now), demand.most(), now);
  }

  /** Takes in what the store said of a limit that is held to a share. */
  public void hear(ShareNews news) {
    limit.change(each -> each.hearing(news));
  }

  /**
   * Returns what to report of a shared limit. Until more is granted, no more than that is spent,
   * except for usage that runs over.
   *
   * @param grid the position of the limit's cells about now
   * @param oldest the first cell that counts; those before it are forgotten
   * @param ahead the last cell that anything is granted in
   * @param keep how much may stay free in a cell; the rest is given up
   */
  public SpendingReport spendingReport(
      CellGrid grid, long oldest, long ahead, long keep, long now) {
    while (true) {
      LimitState current = limit.state();
      LimitState next = current.tallied(grid, oldest, ahead, keep, now);
      if (limit.replace(current, next)) {
        return next.spendingReport(now);
      }
    }
  }

  /**
   * Adds slices to a shared limit, and lets it spend all its slices in the given spans.
   *
   * @param more amounts by cell
   * @param storeReport what was reported with them
   * @param spans when what is left of a cell may be spent
   */
  public void addSlices(
      List<CellAmount> more, StoreReport storeReport, LongFunction<CellGrid.Span> spans) {
    limit.change(each -> each.withSlices(more, storeReport, spans));
  }

  /** Stops the spending of its slices. */
  public void dropSlices() {
    limit.change(LimitState::withSlicesDropped);
  }

  /**
   * Returns whether {@code amount} of a limit shared in slices, which this instance has not used up
   * itself, is not granted now because the store lost data, and an instance that may have spent of
   * the limit can no longer report how much.
   */
  public boolean isBarred(long amount, long now) {
    return limit.state().isBarred(amount, now);
  }

  /** Makes a limit leave room for what other regions count, from now on. */
  public void bindRegions(RegionCounts regionCounts, long now) {
    limit.change(current -> current.withRegions(regionCounts, now));
  }

  /** Stops making the limit leave room for what other regions count. */
  public void unbindRegions() {
    limit.change(LimitState::withoutRegions);
  }

  /**
   * Returns what a limit counted itself since regions began to share it, by cell, for its last two
   * cells. Empty when regions do not share it.
   */
  public Map<Long, Long> localCounts() {
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
  public boolean isBoundToRegions() {
    return limit.state().regionUse() != null;
  }

  /**
   * Records that {@code weight} has just come, and must wait or be refused. If that is the first
   * such answer in its cell, other regions are notified, unless less than half of the limit was
   * counted in that cell before. Does nothing if the weight would pass, or could never pass, or if
   * the limit is cut off from the instances of this region, which does not concern other regions.
   */
  public void recordDenial(Weight weight, long now) {
    while (true) {
      LimitState state = limit.state();
      RegionUse use = state.regionUse();
      if (use == null
          || refusal() != null
          || !(limit.decide(weight, now) instanceof LimitAnswer.Wait)
          || isAwaitingSlices(weight.amount(), now)) {
        return;
      }
      RegionUse next = use.withDenial(state.capacity(now), now);
      if (next.equals(use)) {
        return;
      }
      if (limit.replace(state, state.withUse(next))) {
        next.regionCounts().denialListener().denied(next.deniedCell(), limit.capacity());
        return;
      }
    }
  }
}
