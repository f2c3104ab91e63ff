package io.penstock.limit;

import io.penstock.cost.Weight;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;
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
  public @Nullable ShareDemand demand() {
    return limit.state().shareDemand();
  }

  /** Returns whether only a larger share is lacking, and one may come at any moment. */
  public boolean isAwaitingShare(long amount, long now) {
    return limit.state().isAwaitingShare(amount, now);
  }

  /** Returns whether only a larger share is lacking, and the store of shares is away. */
  public boolean isUnavailable(long amount, long now) {
    return limit.state().isUnavailable(amount, now);
  }

  /** Returns the contact with the store of shares; null when the limit is not held to a share. */
  public ShareNews.@Nullable Contact contact() {
    HeldShare share = limit.state().heldShare();
    return share == null ? null : share.news().contact();
  }

  /**
   * Returns the instant from which the whole limit has room for an amount that no instance is known
   * to have now; {@link Ticker#NEVER} where that is unknown, or a share is not what is lacking.
   */
  public long wholeRoomFreeAt(long amount, long now) {
    return limit.state().wholeRoomFreeAt(amount, now);
  }

  /** Returns whether only a larger share would let {@code amount} pass. */
  public boolean needsLargerShare(long amount, long now) {
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
   * @param shareDemand the waiters to wake when the limit rejoins others or is cut off from them
   */
  public void applyPeerCounts(PeerCounts peerCounts, ShareDemand shareDemand, long now) {
    limit.change(each -> each.counted(peerCounts, shareDemand, now));
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

  /** Undoes {@link #holdShares}. Debt and reserved output stay. */
  public void unshare(long now) {
    limit.change(each -> each.released(now));
  }

  /**
   * Holds the limit to shares of it from now on; the first one is 0. Debt and reserved output stay.
   *
   * @param lease tells whether a share may be spent at an instant
   * @param demand the waiters for a larger share
   */
  public void holdShares(LongPredicate lease, ShareDemand demand, long now) {
    limit.change(each -> each.holding(lease, demand, now));
  }

  /** Changes the share that the limit is held to; returns what is spent of it, and waited for. */
  public ShareStanding changeShare(ShareChange change, long now) {
    while (true) {
      LimitState current = limit.state();
      HeldShare share = Objects.requireNonNull(current.heldShare(), "the limit holds no share");
      LimitState next = current.holding(change.of(share, current.local(), now), now);
      if (limit.replace(current, next)) {
        return standing(next, change.gridNanos(), now);
      }
    }
  }

  /**
   * Returns what is spent of a limit that is held to a share, and waited for.
   *
   * @param gridNanos when one of the fixed windows begins; {@link Ticker#NEVER} for other kinds
   */
  public ShareStanding standing(long gridNanos, long now) {
    return standing(limit.state(), gridNanos, now);
  }

  private static ShareStanding standing(LimitState state, long gridNanos, long now) {
    HeldShare share = Objects.requireNonNull(state.heldShare(), "the limit holds no share");
    ShareDemand demand = Objects.requireNonNull(state.shareDemand());
    return share.standing(state.local(), gridNanos, state.capacity(now), demand.most(), now);
  }

  /** Returns all that was ever spent of a limit that is held to a share; 0 for others. */
  public long spent() {
    HeldShare share = limit.state().heldShare();
    return share == null ? 0 : share.spent();
  }

  /** Takes in what the store said of a limit that is held to a share. */
  public void hear(UnaryOperator<ShareNews> news) {
    limit.change(each -> each.hearing(news));
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
          || isAwaitingShare(weight.amount(), now)) {
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
