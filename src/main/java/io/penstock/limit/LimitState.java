package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit: what this instance took from it, and what is known of others. Immutable, except
 * that an {@link OpenWindow} changes in place. Each method computes a value or a successor from
 * this state and an instant.
 *
 * <p>The parts restrict the limit in this order: a share or peer counts, then an outage, then
 * regions. A share and peer counts exclude each other, and an outage concerns only limits that have
 * either.
 *
 * @param local the state of the limit by its algorithm
 * @param heldShare the share that this instance holds; null when others have none
 * @param peerCounts what other instances counted; null when nothing is known of it
 * @param shareDemand the waiters for a share or peer counts; null without either
 * @param outageCap what passes during an outage; null without an outage
 * @param regionUse the use of the limit in the cells of all regions; null when they do not share it
 */
record LimitState(
    LocalState local,
    @Nullable HeldShare heldShare,
    @Nullable PeerCounts peerCounts,
    @Nullable ShareDemand shareDemand,
    @Nullable OutageCap outageCap,
    @Nullable RegionUse regionUse) {
  /** Returns the state of a limit that nobody else spends or counts. */
  static LimitState of(LocalState local) {
    return new LimitState(local, null, null, null, null, null);
  }

  private LimitState with(LocalState next) {
    return next.equals(local)
        ? this
        : new LimitState(next, heldShare, peerCounts, shareDemand, outageCap, regionUse);
  }

  /** Returns the form in which a limit keeps this state. */
  LimitState storedForm() {
    if (heldShare != null || peerCounts != null || regionUse != null) {
      return this;
    }
    return local instanceof FixedWindowState window ? of(window.storedForm()) : this;
  }

  /** Returns the open window that may be changed in place, or null. */
  @Nullable OpenWindow openWindow() {
    return local instanceof OpenWindow open ? open : null;
  }

  LimitSpec spec() {
    return heldShare == null ? local.spec() : heldShare.whole();
  }

  /** Returns the local state, with a window or day that begins and ends with its shared cell. */
  LocalState alignedLocal(long now) {
    return heldShare == null ? local : heldShare.aligned(local, now);
  }

  /** Returns the local state from which something is taken now: an idle window begins in time. */
  private LocalState spendingLocal(long now) {
    return peerCounts == null ? alignedLocal(now) : peerCounts.aligned(local, now);
  }

  private boolean isOpenDuringOutage() {
    return outageCap instanceof OutageCap.Open;
  }

  /** Returns the largest amount that could ever be admitted at once. */
  long capacity() {
    return spec().capacity();
  }

  /**
   * Returns the largest amount that could be admitted at once while the last statement of the
   * provider is in force.
   */
  long capacity(long now) {
    boolean isPart = heldShare != null && local instanceof TokenBucketState;
    return isPart ? capacity() : local.capacity(now);
  }

  /** Returns whether other instances or regions spend the limit, too. */
  boolean isShared() {
    return heldShare != null || peerCounts != null || regionUse != null;
  }

  /**
   * Returns the part of the capacity that this instance has to itself: its share, what it has
   * charged itself to one that is counted with others, else all.
   */
  long ownCapacity(long now) {
    if (heldShare != null) {
      return Math.min(capacity(now), heldShare.amount(local, now));
    }
    return isShared() ? Math.min(capacity(now), local.balance(now).charged()) : capacity(now);
  }

  /** Returns the amount that would be admitted now, ignoring the pace, ≥ 0. */
  long room(long now) {
    long room = roomWithoutRegions(now);
    return regionUse != null && isRestrictedByRegions(regionUse, now)
        ? Math.min(room, regionUse.free(capacity(now), now))
        : room;
  }

  private long roomWithoutRegions(long now) {
    if (outageCap != null) {
      return isOpenDuringOutage() ? capacity(now) : 0;
    }
    if (heldShare != null) {
      return heldShare.room(local, now);
    }
    return peerCounts == null
        ? local.room(now)
        : Math.max(0, local.room(now) - peerCounts.counted(spec(), now));
  }

  /**
   * Returns the amount that would be admitted now if only this instance took from the limit,
   * ignoring the pace.
   */
  long localRoom(long now) {
    if (heldShare != null && outageCap == null) {
      return heldShare.localRoom(local, now);
    }
    return roomWithoutRegions(now);
  }

  /** Returns whether regions restrict it. They do not while an outage lets everything pass. */
  private boolean isRestrictedByRegions(RegionUse regions, long now) {
    return regions.hasReports(now) && !isOpenDuringOutage();
  }

  /**
   * Returns what is left of the limit for all that spend it, as far as is known, and when it is
   * whole.
   */
  LimitRemainder remainder(long now) {
    LimitRemainder left =
        outageCap == null && heldShare != null
            ? heldShare.remainder(local, wholeAt(now), now)
            : new LimitRemainder(roomWithoutRegions(now), wholeAt(now));
    return regionUse != null && isRestrictedByRegions(regionUse, now)
        ? new LimitRemainder(
            Math.min(left.amount(), regionUse.free(capacity(now), now)), left.fullNanos())
        : left;
  }

  /**
   * Returns {@link #fullyFreeAt}, as if output that running answers still keep were used now.
   * Permits are free when somebody gives them back, which nobody knows.
   */
  private long wholeAt(long now) {
    long free = fullyFreeAt(now);
    return free == Ticker.NEVER && !(local instanceof ConcurrencyState)
        ? projected(now).fullyFreeAt(now)
        : free;
  }

  /**
   * Returns the instant from which the limit is completely free if nothing else happens on this
   * instance, ignoring the pace.
   */
  long fullyFreeAt(long now) {
    return peerCounts == null
        ? alignedLocal(now).fullyFreeAt(now)
        : peerCounts.roomFreeAt(local, spec(), capacity(now), now);
  }

  /**
   * Returns the instant from which the pace lets {@code amount} pass; at or before now when it
   * does.
   */
  long paceAllowsAt(long amount, long now) {
    if (isOpenDuringOutage()) {
      return now;
    }
    return alignedLocal(now).paceAllowsAt(amount, now);
  }

  /** Returns the instant at which {@code amount} ≤ capacity is admitted if nothing else happens. */
  long admittedAt(long amount, long now) {
    return Math.max(roomFreeAt(amount, now), paceAllowsAt(amount, now));
  }

  /** Returns the instant at which {@code amount} ≤ capacity has room if nothing else happens. */
  long roomFreeAt(long amount, long now) {
    if (regionUse == null || amount == 0) {
      return roomWithoutRegionsFreeAt(amount, now);
    }
    long at = regionsFreeAt(regionUse, amount, now);
    for (int step = 0; step < RegionUse.MOST_STEPS; step++) {
      long open = roomWithoutRegionsFreeAt(amount, at);
      if (open <= at) {
        return at;
      }
      if (open == Ticker.NEVER) {
        return at > now
            ? at
            : open; // at that instant the caller asks again for what only others can give
      }
      at = regionsFreeAt(regionUse, amount, open);
    }
    return at;
  }

  /**
   * Returns the first instant from {@code from} on at which the cells of regions have room for
   * {@code amount}.
   */
  private long regionsFreeAt(RegionUse regions, long amount, long from) {
    long at = from;
    for (int step = 0;
        step < RegionUse.MOST_STEPS && !isAdmittedByRegions(regions, amount, at);
        step++) {
      at = regions.mayFreeAt(amount, capacity(at), at);
    }
    return at;
  }

  private boolean isAdmittedByRegions(RegionUse regions, long amount, long now) {
    return !isRestrictedByRegions(regions, now) || amount <= regions.free(capacity(now), now);
  }

  private long roomWithoutRegionsFreeAt(long amount, long now) {
    if (outageCap != null) {
      return isOpenDuringOutage() || amount == 0 ? now : Ticker.NEVER;
    }
    if (heldShare != null) {
      return heldShare.roomFreeAt(local, amount, now);
    }
    return peerCounts == null
        ? local.roomFreeAt(amount, now)
        : peerCounts.roomFreeAt(local, spec(), amount, now);
  }

  /** Returns a copy of this state, as if this instance alone spent the limit from now on. */
  LimitState alone(long now) {
    LocalState own = heldShare == null ? alignedLocal(now) : heldShare.freed(local, now);
    LocalState copy = own instanceof OpenWindow open ? open.seen() : own;
    return new LimitState(copy, null, peerCounts, null, null, regionUse);
  }

  /** Returns this state for a {@link LimitProjection}: alone, and with reserved output charged. */
  LimitState projected(long now) {
    LimitState copy = alone(now);
    long reserved = copy.local.balance(now).reserved();
    return reserved == 0 ? copy : copy.with(copy.local.charge(reserved, reserved, now).next());
  }

  /** Tells other instances if a day has begun with its first use since an earlier state. */
  void tellOfDay(LimitState before) {
    if (heldShare != null
        && shareDemand != null
        && local instanceof DayState day
        && before.local instanceof DayState earlier
        && day.beginsWithFirstUse()
        && day.endsAt() != earlier.endsAt()) {
      shareDemand.hurry();
    }
  }

  /** Returns whether only a larger share is lacking, and the store of shares is away. */
  boolean isUnavailable(long amount, long now) {
    return heldShare != null
        && outageCap == null
        && heldShare.isUnavailable(local, Math.min(amount, capacity(now)), now);
  }

  /** Returns whether only a larger share is lacking, and it may be had soon. */
  boolean isAwaitingShare(long amount, long now) {
    long cut = Math.min(amount, capacity(now));
    return heldShare != null
        && outageCap == null
        && (regionUse == null || isAdmittedByRegions(regionUse, cut, now))
        && heldShare.isAwaiting(local, cut, now);
  }

  /**
   * Returns the instant from which the whole limit has room for an amount that no instance is known
   * to have now; {@link Ticker#NEVER} where that is unknown, or a share is not what is lacking.
   */
  long wholeRoomFreeAt(long amount, long now) {
    if (heldShare == null || outageCap != null) {
      return Ticker.NEVER;
    }
    long ends = heldShare.wholeRoomFreeAt(local, amount, now);
    return regionUse == null || ends == Ticker.NEVER
        ? ends
        : regionsFreeAt(regionUse, amount, Math.max(now, ends));
  }

  /** Records that {@code amount} is waited for, if other instances may grant it. */
  void recordDemand(long amount, long now) {
    if (heldShare != null && shareDemand != null && heldShare.lacks(local, amount, now)) {
      shareDemand.recordLack(Math.max(1, amount)); // 0 may wait for the pace of a larger share
    }
  }

  /**
   * Returns whether any amount may pass sooner than in another state. Comparing the smallest and
   * the largest amount is enough, because the wait grows linearly in between.
   */
  boolean soonerThan(LimitState before, long now) {
    return room(now) > before.room(now)
        || admittedAt(1, now) < before.admittedAt(1, now)
        || admittedAt(capacity(now), now) < before.admittedAt(before.capacity(now), now);
  }

  /** A next state and the receipt that belongs to it. */
  record Successor(LimitState next, LimitAnswer.Receipt receipt) {}

  /** Takes an amount that was found to be admitted now. */
  Successor take(long taken, long held, long now) {
    LocalState before = spendingLocal(now);
    LocalState.Taken own = before.take(taken, held, now);
    RegionUse use = regionUse == null ? null : regionUse.plus(taken, held, now);
    if (peerCounts != null
        && before instanceof FixedWindowState idle
        && own.next() instanceof FixedWindowState begun
        && idle.isIdle()) {
      // Without others, the window would begin a grid with its first use.
      LimitAnswer.Receipt receipt = new LimitAnswer.Receipt(idle.start(), taken, held);
      return changed(begun.beginning(idle.start()), 0, use, receipt);
    }
    return changed(begun(before, own, now), taken + held, use, own.receipt());
  }

  /**
   * Charges {@code amount} to the running window and releases {@code released} of the reserved
   * output.
   */
  Successor charge(long amount, long released, long now) {
    LocalState before = spendingLocal(now);
    LocalState.Taken own = before.charge(amount, released, now);
    RegionUse use = regionUse == null ? null : regionUse.plus(amount, -released, now);
    return changed(begun(before, own, now), amount - released, use, own.receipt());
  }

  private LocalState begun(LocalState before, LocalState.Taken own, long now) {
    return heldShare == null ? own.next() : heldShare.begun(before, own.next(), now);
  }

  /**
   * Returns the state after {@code more} was taken or charged. During an outage that lets
   * everything pass, what passes leaves no debt: it stops counting with its window.
   */
  private Successor changed(
      LocalState next, long more, @Nullable RegionUse use, LimitAnswer.Receipt receipt) {
    HeldShare share = heldShare == null ? null : heldShare.spending(local, next, more);
    LocalState left = isOpenDuringOutage() ? next.withoutDebt() : next;
    return new Successor(
        new LimitState(left, share, peerCounts, shareDemand, outageCap, use),
        use == null ? receipt : receipt.within(use.newest()));
  }

  /**
   * Gives back part or all of a receipt that was not used. A charge is given back only if its cell
   * still counts.
   */
  LimitState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    RegionUse use = regionUse == null ? null : regionUse.minus(receipt, taken, held, now);
    LocalState next =
        heldShare == null
            ? local.giveBack(receipt, taken, held, now)
            : heldShare.givenBack(local, receipt, taken, held, now);
    return new LimitState(next, heldShare, peerCounts, shareDemand, outageCap, use);
  }

  /**
   * Returns the state after the charge of a trailing window has moved to the sub-cell of {@code
   * now}, with the receipt of the moved charge; null when it stays where it is.
   */
  @Nullable Successor moved(LimitAnswer.Receipt receipt, long now) {
    TrailingWindowState next =
        local instanceof TrailingWindowState window ? window.moved(receipt, now) : null;
    return next == null ? null : new Successor(with(next), receipt.at(next.newest()));
  }

  /** Returns what the limit owes at {@code now}. */
  LimitBalance balance(long now) {
    LimitBalance own = alignedLocal(now).balance(now);
    return heldShare == null ? own : heldShare.balance(local, own);
  }

  /** Returns what all instances are known to have charged, to owe, or to keep reserved. */
  long used(long now) {
    LimitBalance own = balance(now);
    PeerCounts others = heldShare == null ? peerCounts : heldShare.news().told();
    long here = AmountBound.sum(AmountBound.sum(own.charged(), own.debt()), own.reserved());
    return others == null ? here : AmountBound.sum(here, others.counted(spec(), now));
  }

  /**
   * Returns the charges that must be remembered, oldest first. Reserved output counts as charged.
   */
  List<ChargedCell> cells(long now) {
    return alignedLocal(now).cells(now);
  }

  /** Returns the trailing window that a provider's statements concern; null for other kinds. */
  @Nullable TrailingWindowState trailing() {
    return local instanceof TrailingWindowState window ? window : null;
  }

  /** Returns the state after a step of a trailing window; other kinds stay as they are. */
  LimitState trailing(UnaryOperator<TrailingWindowState> step) {
    return local instanceof TrailingWindowState window ? with(step.apply(window)) : this;
  }

  /** Returns this state with another spec; debt, charges and reserved output stay. */
  LimitState withSpec(LimitSpec next, long now) {
    RegionUse use = RegionCells.sameCells(spec(), next) ? regionUse : null;
    if (heldShare != null) {
      HeldShare share = heldShare.of(next, now);
      if (local instanceof TokenBucketState && next instanceof LimitSpec.TokenBucket) {
        // it is as large as the share, which stays
        return new LimitState(local, share, null, shareDemand, outageCap, use).holding(share, now);
      }
      LocalState changed = heldShare.become(local, next, now);
      return new LimitState(changed, null, null, shareDemand, outageCap, use).holding(share, now);
    }
    LimitState state = of(StateFactory.changed(local, next, now).frozen());
    if (peerCounts != null && shareDemand != null && peerCounts.matches(next)) {
      state = state.counted(peerCounts, shareDemand, now).cutOff(outageCap, now);
    }
    return use == null ? state : state.withUse(use);
  }

  /** Returns this state when it is held to a share from now on: to none as yet. */
  LimitState holding(LongPredicate lease, ShareDemand demand, long now) {
    LocalState own = sharing(released(now).local.frozen(), now);
    return new LimitState(own, null, null, demand, null, regionUse)
        .holding(HeldShare.none(own.spec(), lease), now);
  }

  /** Returns this state when it is held to another share. */
  LimitState holding(HeldShare next, long now) {
    LocalState fitting = next.fitting(local, heldShare == null ? 0 : heldShare.amount(), now);
    HeldShare share = next.spending(local, fitting, 0);
    return new LimitState(fitting, share, null, shareDemand, outageCap, regionUse);
  }

  /** Returns this state after the store was heard. */
  LimitState hearing(UnaryOperator<ShareNews> news) {
    if (heldShare == null) {
      return this;
    }
    HeldShare next = heldShare.with(news.apply(heldShare.news()));
    return new LimitState(local, next, null, shareDemand, outageCap, regionUse);
  }

  /** Returns this state when it is held to no share any more. */
  LimitState released(long now) {
    return heldShare == null
        ? this
        : new LimitState(heldShare.freed(local, now), null, null, null, null, regionUse);
  }

  /** Returns the local state of a limit that begins to be shared. */
  private static LocalState sharing(LocalState local, long now) {
    // others may have used slots as well
    return local instanceof StrictState strict ? StrictState.fresh(strict.spec(), now) : local;
  }

  /**
   * Returns this state with what others counted. A limit without a window stays as it is, because
   * it has no cells to count in; a limit that is held to a share stays, because shares are exact.
   *
   * <p>Fixed windows become the cells of the Unix clock, so that all instances have the same
   * windows: the debt so far is charged to the running cell.
   */
  LimitState counted(PeerCounts others, ShareDemand demand, long now) {
    if (heldShare != null || spec().windowNanos() == 0) {
      return this;
    }
    LocalState own = local.frozen();
    if (peerCounts == null && own.spec() instanceof LimitSpec.FixedWindow window) {
      own = FixedWindowState.starting(window, own.balance(now), others.cellStart(now));
    }
    return new LimitState(own, heldShare, others, demand, outageCap, regionUse);
  }

  /** Returns this state when others no longer count it. */
  LimitState uncounted() {
    return peerCounts == null
        ? this
        : new LimitState(local, heldShare, null, null, null, regionUse);
  }

  /**
   * Returns this state during an outage; as it is for null, or when nobody else spends or counts
   * it.
   */
  LimitState cutOff(@Nullable OutageCap cap, long now) {
    boolean isAlone = heldShare == null && peerCounts == null;
    if (cap == null || cap.equals(outageCap) || isAlone) {
      return this;
    }
    return new LimitState(local, heldShare, peerCounts, shareDemand, cap, regionUse);
  }

  /** Returns this state with nothing charged in the running day, if nobody else spends it. */
  LimitState emptied() {
    return local instanceof DayState day && !isShared() ? with(day.emptied()) : this;
  }

  /** Returns this state after an outage. */
  LimitState rejoined() {
    return outageCap == null
        ? this
        : new LimitState(local, heldShare, peerCounts, shareDemand, null, regionUse);
  }

  /** Returns this state with what other regions report. */
  LimitState withRegions(RegionCounts counts, long now) {
    LocalState own = local.frozen();
    return withUse(
        regionUse == null
            ? RegionUse.none(counts, own.balance(now).reserved(), now)
            : regionUse.with(counts, now));
  }

  /** Returns this state when other regions no longer share it. */
  LimitState withoutRegions() {
    return regionUse == null ? this : withUse(null);
  }

  /** Returns this state with other use in the cells of regions; null when they do not share it. */
  LimitState withUse(@Nullable RegionUse use) {
    return new LimitState(local.frozen(), heldShare, peerCounts, shareDemand, outageCap, use);
  }
}
