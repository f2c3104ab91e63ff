package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.List;
import java.util.Objects;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * State of a limit: what this instance took from it, and what is known of others. Immutable, except
 * that an {@link OpenWindow} changes in place. Each method computes a value or a successor from
 * this state and an instant.
 *
 * <p>The parts restrict the limit in this order: slices or peer counts, then an outage, then
 * regions. Slices and peer counts exclude each other, and an outage concerns only limits that have
 * either.
 *
 * @param local the state of the limit by its algorithm
 * @param heldShare the share that this instance holds; null when others have none
 * @param slices the slices that this instance was granted; null when they are not needed
 * @param peerCounts what other instances counted; null when nothing is known of it
 * @param sliceDemand the waiters for slices or peer counts; null without either
 * @param outageCap what passes during an outage; null without an outage
 * @param share the state of this instance's share of a limit that has slices during an {@link
 *     OutageCap.Share}; null when it has none, or when a share of the limit would let nothing pass
 * @param regionUse the use of the limit in the cells of all regions; null when they do not share it
 */
record LimitState(
    LocalState local,
    @Nullable HeldShare heldShare,
    @Nullable SharedSlices slices,
    @Nullable PeerCounts peerCounts,
    @Nullable SliceDemand sliceDemand,
    @Nullable OutageCap outageCap,
    @Nullable LocalState share,
    @Nullable RegionUse regionUse) {
  /** Returns the state of a limit that nobody else spends or counts. */
  static LimitState of(LocalState local) {
    return new LimitState(local, null, null, null, null, null, null, null);
  }

  private LimitState with(LocalState next) {
    return next.equals(local)
        ? this
        : new LimitState(
            next, heldShare, slices, peerCounts, sliceDemand, outageCap, share, regionUse);
  }

  private LimitState with(SharedSlices next) {
    return new LimitState(
        local, heldShare, next, peerCounts, sliceDemand, outageCap, share, regionUse);
  }

  private LimitState with(@Nullable RegionUse next) {
    return new LimitState(
        local.frozen(), heldShare, slices, peerCounts, sliceDemand, outageCap, share, next);
  }

  /** Returns the form in which a limit keeps this state. */
  LimitState storedForm() {
    if (heldShare != null || slices != null || peerCounts != null || regionUse != null) {
      return this;
    }
    return local instanceof FixedWindowState window ? of(window.storedForm()) : this;
  }

  /** Returns the open window that may be changed in place, or null. */
  @Nullable OpenWindow openWindow() {
    return local instanceof OpenWindow open ? open : null;
  }

  LimitSpec spec() {
    return heldShare == null ? local.spec() : heldShare.whole(local);
  }

  /** Returns the local state, with a window or day that begins and ends with its shared cell. */
  LocalState alignedLocal(long now) {
    if (heldShare != null) {
      return heldShare.aligned(local, now);
    }
    return slices == null ? local : slices.aligned(local, now);
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
    return heldShare == null
        ? withinReport(local.capacity())
        : heldShare.wholeCapacity(local.capacity());
  }

  /**
   * Returns the largest amount that could be admitted at once while the last statement of the
   * provider is in force.
   */
  long capacity(long now) {
    return heldShare == null
        ? withinReport(local.capacity(now))
        : heldShare.wholeCapacity(local.capacity(now));
  }

  /** Returns whether other instances or regions spend the limit, too. */
  boolean isShared() {
    return heldShare != null || slices != null || peerCounts != null || regionUse != null;
  }

  /**
   * Returns the part of the capacity that this instance has to itself: what it was granted of a
   * limit shared in slices, what it has charged itself to one that is counted with others, else
   * all.
   */
  long ownCapacity(long now) {
    if (heldShare != null) {
      return Math.min(capacity(now), heldShare.amount(local, now));
    }
    if (slices != null) {
      return Math.min(capacity(now), slices.grantedCells().granted());
    }
    return isShared() ? Math.min(capacity(now), local.balance(now).charged()) : capacity(now);
  }

  private long withinReport(long capacity) {
    return slices == null ? capacity : Math.min(slices.storeReport().capacity(), capacity);
  }

  /** Returns the amount that would be admitted now, ignoring the pace, ≥ 0. */
  long room(long now) {
    long room = roomWithoutRegions(now);
    return regionUse != null && isRestrictedByRegions(regionUse, now)
        ? Math.min(room, regionUse.free(capacity(now), now))
        : room;
  }

  private long roomWithoutRegions(long now) {
    if (outageCap == null) {
      return roomWithoutOutage(now);
    }
    if (slices != null && share != null) {
      return Math.min(slices.localRoom(local, now), slices.aligned(share, now).room(now));
    }
    return isOpenDuringOutage() ? capacity(now) : 0;
  }

  private long roomWithoutOutage(long now) {
    if (heldShare != null) {
      return heldShare.room(local, now);
    }
    if (slices != null) {
      return slices.room(local, now);
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
    return slices != null && (outageCap == null || share != null)
        ? slices.localRoom(local, now)
        : roomWithoutRegions(now);
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
    LimitRemainder left = remainderWithoutRegions(now);
    return regionUse != null && isRestrictedByRegions(regionUse, now)
        ? new LimitRemainder(
            Math.min(left.amount(), regionUse.free(capacity(now), now)), left.fullNanos())
        : left;
  }

  private LimitRemainder remainderWithoutRegions(long now) {
    if (outageCap == null && heldShare != null) {
      return heldShare.remainder(local, wholeAt(now), now);
    }
    return slices != null && outageCap == null
        ? slices.remainder(local, capacity(now), wholeAt(now), now)
        : new LimitRemainder(roomWithoutRegions(now), wholeAt(now));
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
        : roomWithPeersFreeAt(peerCounts, capacity(now), now);
  }

  /**
   * Returns the instant from which the pace lets {@code amount} pass; at or before now when it
   * does.
   */
  long paceAllowsAt(long amount, long now) {
    if (isOpenDuringOutage()) {
      return now;
    }
    long own = alignedLocal(now).paceAllowsAt(amount, now);
    return share == null ? own : Math.max(own, share.paceAllowsAt(amount, now));
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
    if (outageCap == null) {
      return roomWithoutOutageFreeAt(amount, now);
    }
    if (slices != null && share != null && amount <= share.capacity(now)) {
      return Math.max(
          alignedLocal(now).roomFreeAt(amount, now),
          slices.aligned(share, now).roomFreeAt(amount, now));
    }
    return isOpenDuringOutage() || amount == 0 ? now : Ticker.NEVER;
  }

  private long roomWithoutOutageFreeAt(long amount, long now) {
    if (heldShare != null) {
      return heldShare.roomFreeAt(local, amount, now);
    }
    if (slices != null) {
      return slices.roomFreeAt(local, amount, now);
    }
    return peerCounts == null
        ? local.roomFreeAt(amount, now)
        : roomWithPeersFreeAt(peerCounts, amount, now);
  }

  private long roomWithPeersFreeAt(PeerCounts peers, long amount, long now) {
    LocalState own = peers.aligned(local, now);
    long instant = own.roomFreeAt(amount, now);
    while (amount > 0
        && instant < Ticker.NEVER
        && Math.max(0, own.room(instant) - peers.counted(spec(), instant)) < amount) {
      long need = AmountBound.sum(amount, peers.counted(spec(), instant));
      long enough = need <= own.capacity(instant) ? own.roomFreeAt(need, instant) : instant;
      long less = peers.lessAt(spec(), instant);
      instant = enough > instant ? Math.min(enough, less) : less;
    }
    return instant;
  }

  /** Returns whether others spend or count it too. */
  boolean sharesWithOthers() {
    return isShared();
  }

  /** Returns a copy of this state, as if this instance alone spent the limit from now on. */
  LimitState alone(long now) {
    LocalState own = heldShare == null ? alignedLocal(now) : heldShare.freed(local, now);
    LocalState copy = own instanceof OpenWindow open ? open.seen() : own;
    return new LimitState(copy, null, null, peerCounts, null, null, null, regionUse);
  }

  /** Returns this state for a {@link LimitProjection}: alone, and with reserved output charged. */
  LimitState projected(long now) {
    LimitState copy = alone(now);
    long reserved = copy.local.balance(now).reserved();
    return reserved == 0 ? copy : copy.with(copy.local.charge(reserved, reserved, now).next());
  }

  /** Returns whether only slices are lacking, and it is not known yet whether any can be had. */
  boolean isAwaitingSlices(long amount, long now) {
    long cut = Math.min(amount, capacity(now));
    if (heldShare != null && outageCap == null) {
      return (regionUse == null || isAdmittedByRegions(regionUse, cut, now))
          && heldShare.isAwaiting(local, cut, now);
    }
    if (slices == null || outageCap != null) {
      return false;
    }
    return (regionUse == null || isAdmittedByRegions(regionUse, cut, now))
        && slices.isAwaitingSlices(local, cut, now);
  }

  /** Returns whether slices are not granted now because spending may have been lost. */
  boolean isBarred(long amount, long now) {
    return slices != null
        && slices.storeReport().bars(now)
        && Math.min(amount, capacity(now)) <= slices.localRoom(local, now);
  }

  /**
   * Returns the end of the running window when no instance is known to have enough left in it;
   * otherwise, and for most kinds of limits, {@link Ticker#NEVER}.
   */
  long windowEndsAt(long amount, long now) {
    if ((slices == null && heldShare == null) || outageCap != null) {
      return Ticker.NEVER;
    }
    long ends =
        slices == null
            ? Objects.requireNonNull(heldShare).windowEndsAt(local, amount, now)
            : slices.windowEndsAt(local, amount, now);
    return regionUse == null || ends == Ticker.NEVER
        ? ends
        : regionsFreeAt(regionUse, amount, Math.max(now, ends));
  }

  /** Records that {@code amount} is waited for, if other instances may grant it. */
  void recordDemand(long amount, long now) {
    if (heldShare != null && sliceDemand != null) {
      if (heldShare.lacks(local, amount, now)) {
        sliceDemand.recordLack(amount, false, false);
      }
      return;
    }
    if (slices != null && sliceDemand != null && outageCap == null) {
      slices.recordDemand(local, sliceDemand, amount, now);
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
    if (heldShare != null) {
      return spent(heldShare, heldShare.begun(before, own.next(), now), taken + held, use, own);
    }
    if (slices != null) {
      long cell = slices.spendingCell(local, now);
      SharedSlices next = slices.taken(local, cell, taken, held);
      LocalState begun = begun(slices, before, own.next(), now);
      if (share == null) {
        return changed(begun, next, null, use, own.receipt().in(cell));
      }
      LocalState alignedShare = slices.aligned(share, now);
      LocalState.Taken part = alignedShare.take(taken, held, now);
      LocalState nextShare = slices.begun(alignedShare, part.next(), now);
      return changed(begun, next, nextShare, use, part.receipt().in(cell));
    }
    if (peerCounts != null
        && before instanceof FixedWindowState idle
        && own.next() instanceof FixedWindowState begun
        && idle.charged() == 0
        && idle.debt() == 0) {
      // Without others, the window would begin a grid with its first use.
      FixedWindowState onGrid =
          new FixedWindowState(
              begun.spec(), idle.start(), begun.charged(), begun.debt(), begun.reserved());
      return changed(onGrid, null, null, use, new LimitAnswer.Receipt(idle.start(), taken, held));
    }
    return changed(own.next(), null, null, use, own.receipt());
  }

  /**
   * Charges {@code amount} to the running window and releases {@code released} of the reserved
   * output.
   */
  Successor charge(long amount, long released, long now) {
    LocalState before = spendingLocal(now);
    LocalState.Taken own = before.charge(amount, released, now);
    RegionUse use = regionUse == null ? null : regionUse.plus(amount, -released, now);
    if (heldShare != null) {
      LocalState begun = heldShare.begun(before, own.next(), now);
      return spent(heldShare, begun, amount - released, use, own);
    }
    if (slices == null) {
      return changed(own.next(), null, null, use, own.receipt());
    }
    long cell = slices.spendingCell(local, now);
    SharedSlices next = slices.charged(local, cell, amount, released);
    LocalState begun = begun(slices, before, own.next(), now);
    if (share == null) {
      return changed(begun, next, null, use, own.receipt().in(cell));
    }
    LocalState alignedShare = slices.aligned(share, now);
    LocalState part = alignedShare.charge(amount, released, now).next();
    LocalState nextShare = slices.begun(alignedShare, part, now);
    return changed(begun, next, nextShare, use, own.receipt().in(cell));
  }

  private Successor spent(
      HeldShare share, LocalState next, long more, @Nullable RegionUse use, LocalState.Taken own) {
    LimitAnswer.Receipt receipt = own.receipt();
    LimitState state =
        new LimitState(
            isOpenDuringOutage() ? next.withoutDebt() : next,
            share.spending(local, next, more),
            null,
            null,
            sliceDemand,
            outageCap,
            null,
            use);
    return new Successor(state, use == null ? receipt : receipt.within(use.newest()));
  }

  /** Corrects a local state that slices restrict: the slots are those of the slices. */
  private static LocalState begun(
      SharedSlices slices, LocalState before, LocalState next, long now) {
    return next instanceof StrictState ? before : slices.begun(before, next, now);
  }

  /**
   * Returns the state after something was taken. During an outage that lets everything pass, what
   * passes leaves no debt: it stops counting with its window.
   */
  private Successor changed(
      LocalState next,
      @Nullable SharedSlices nextSlices,
      @Nullable LocalState nextShare,
      @Nullable RegionUse use,
      LimitAnswer.Receipt receipt) {
    return new Successor(
        new LimitState(
            isOpenDuringOutage() ? next.withoutDebt() : next,
            heldShare,
            nextSlices,
            peerCounts,
            sliceDemand,
            outageCap,
            nextShare,
            use),
        use == null ? receipt : receipt.within(use.newest()));
  }

  /**
   * Gives back part or all of a receipt that was not used. A charge is given back only if its cell
   * still counts.
   */
  LimitState giveBack(LimitAnswer.Receipt receipt, long taken, long held, long now) {
    RegionUse use = regionUse == null ? null : regionUse.minus(receipt, taken, held, now);
    if (slices == null) {
      LocalState next =
          heldShare == null
              ? local.giveBack(receipt, taken, held, now)
              : heldShare.givenBack(local, receipt, taken, held, now);
      return new LimitState(next, heldShare, null, peerCounts, sliceDemand, outageCap, null, use);
    }
    LocalState alone = slices.aligned(local, now);
    long mark = share == null ? receipt.totalTaken() : 0; // that of a share is another total
    return new LimitState(
        slices.givenBackHere(alone, receipt, mark, taken, held, now),
        heldShare,
        slices.givenBack(alone, receipt, taken, held, now),
        null,
        sliceDemand,
        outageCap,
        share == null
            ? null
            : slices.givenBackHere(slices.aligned(share, now), receipt, 0, taken, held, now),
        use);
  }

  /**
   * Returns the state after the charge of a trailing window has moved to the sub-cell of {@code
   * now}, with the receipt of the moved charge; null when it stays where it is. Slices stay spent
   * in the cell that they were granted for, because no other cell has room for them for certain.
   */
  @Nullable Successor moved(LimitAnswer.Receipt receipt, long now) {
    TrailingWindowState next =
        local instanceof TrailingWindowState window ? window.moved(receipt, now) : null;
    return next == null ? null : new Successor(with(next), receipt.at(next.newest()));
  }

  /** Returns what the limit owes at {@code now}. */
  LimitBalance balance(long now) {
    return alignedLocal(now).balance(now);
  }

  /**
   * Returns the charges that must be remembered, oldest first. Reserved output counts as charged.
   */
  List<ChargedCell> cells(long now) {
    return alignedLocal(now).cells(now);
  }

  /** Returns the instant from which no provider lowers the limit; {@code now} when none does. */
  long restoredAt(long now) {
    return local instanceof TrailingWindowState window ? window.restoredAt(now) : now;
  }

  /** Returns what the provider stated last, or null. */
  @Nullable LearnedLimit learned(long now) {
    return local instanceof TrailingWindowState window ? window.learned(now) : null;
  }

  /** Returns the state after a provider's statement. Only trailing windows take such statements. */
  LimitState withNotice(ProviderNotice notice, long now) {
    return local instanceof TrailingWindowState window
        ? with(window.withNotice(notice, now))
        : this;
  }

  /** Returns the amount that this instance charged in the trailing window that ends at now. */
  long passed(long now) {
    return local instanceof TrailingWindowState window ? window.passed(now) : 0;
  }

  /** Returns the state after a refusal by a provider that states no limits. */
  LimitState refused(long releasedNanos, long passed, long now) {
    return local instanceof TrailingWindowState window
        ? with(window.refused(releasedNanos, passed, now))
        : this;
  }

  /** Returns the ceiling that refusals have taught, or null. */
  @Nullable LearnedCeiling ceiling(long now) {
    return local instanceof TrailingWindowState window ? window.ceiling(now) : null;
  }

  /** Returns how often a ceiling that refusals had taught was raised. */
  long raises(long now) {
    return local instanceof TrailingWindowState window ? window.raises(now) : 0;
  }

  /** Returns this state with a trailing window widened by {@code nanos} beyond its guard. */
  LimitState widened(long nanos) {
    return local instanceof TrailingWindowState window ? with(window.widened(nanos)) : this;
  }

  /** Returns this state with another spec; debt, charges and reserved output stay. */
  LimitState withSpec(LimitSpec next, long now) {
    RegionUse use = RegionCells.sameCells(spec(), next) ? regionUse : null;
    if (heldShare != null) {
      LocalState changed = heldShare.become(local, next, now);
      return new LimitState(changed, null, null, null, sliceDemand, outageCap, null, use)
          .holding(heldShare.of(next, now), now);
    }
    if (slices != null) {
      LocalState changed = CellGrid.become(slices.aligned(local, now), next, now);
      LimitState state =
          CellPartition.sameCells(spec(), next)
              ? new LimitState(
                  changed,
                  heldShare,
                  slices,
                  null,
                  sliceDemand,
                  outageCap,
                  shareOf(outageCap, changed, share, now),
                  null)
              : new LimitState(changed, heldShare, null, null, null, outageCap, share, null)
                  .shared(Objects.requireNonNull(sliceDemand), now);
      return state.with(use);
    }
    LimitState state = of(StateFactory.changed(local, next, now).frozen());
    if (peerCounts != null && sliceDemand != null && peerCounts.matches(next)) {
      state = state.counted(peerCounts, sliceDemand, now).cutOff(outageCap, now);
    }
    return use == null ? state : state.with(use);
  }

  /** Returns this state shared in slices; none is granted yet. */
  LimitState shared(SliceDemand demand, long now) {
    LocalState own = SharedSlices.sharing(local.frozen(), now);
    return new LimitState(
        own,
        heldShare,
        SharedSlices.none(local.frozen(), now),
        null,
        demand,
        outageCap,
        shareOf(outageCap, own, share, now),
        regionUse);
  }

  /** Returns this state when it is held to a share from now on: to none as yet. */
  LimitState holding(LongPredicate lease, SliceDemand demand, long now) {
    return new LimitState(
            SharedSlices.sharing(local.frozen(), now),
            null,
            null,
            null,
            demand,
            outageCap,
            null,
            regionUse)
        .holding(HeldShare.none(local.spec(), lease), now);
  }

  /** Returns this state when it is held to another share. */
  LimitState holding(HeldShare next, long now) {
    LocalState fitting = next.fitting(local, heldShare == null ? 0 : heldShare.amount(), now);
    HeldShare share = next.spending(local, fitting, 0);
    return new LimitState(fitting, share, null, null, sliceDemand, outageCap, null, regionUse);
  }

  /** Returns this state after the store was heard. */
  LimitState hearing(ShareNews news) {
    return heldShare == null
        ? this
        : new LimitState(
            local, heldShare.with(news), null, null, sliceDemand, outageCap, null, regionUse);
  }

  /** Returns this state when it is held to no share any more. */
  LimitState released(long now) {
    return heldShare == null
        ? this
        : new LimitState(
            heldShare.freed(local, now), null, null, null, null, null, null, regionUse);
  }

  /** Returns this state when it is no longer shared in slices. */
  LimitState unshared(long now) {
    return slices == null
        ? this
        : new LimitState(
            slices.aligned(local, now), heldShare, null, null, null, null, null, regionUse);
  }

  /**
   * Returns this state with what others counted. A limit without a window stays as it is, because
   * it has no cells to count in; a limit shared in slices stays, because slices are more precise.
   *
   * <p>Fixed windows become the cells of the Unix clock, so that all instances have the same
   * windows: the debt so far is charged to the running cell.
   */
  LimitState counted(PeerCounts others, SliceDemand demand, long now) {
    if (heldShare != null || slices != null || !PeerCounts.canCount(spec())) {
      return this;
    }
    LocalState own = local.frozen();
    if (peerCounts == null && own.spec() instanceof LimitSpec.FixedWindow window) {
      own = FixedWindowState.starting(window, own.balance(now), others.cellStart(now));
    }
    return new LimitState(own, heldShare, null, others, demand, outageCap, null, regionUse);
  }

  /** Returns this state when others no longer count it. */
  LimitState uncounted() {
    return peerCounts == null
        ? this
        : new LimitState(local, heldShare, null, null, null, null, null, regionUse);
  }

  /**
   * Returns this state during an outage; as it is for null, or when nobody else spends or counts
   * it.
   */
  LimitState cutOff(@Nullable OutageCap cap, long now) {
    boolean isAlone = heldShare == null && slices == null && peerCounts == null;
    if (cap == null || cap.equals(outageCap) || isAlone) {
      return this;
    }
    LocalState part = slices == null ? null : shareOf(cap, alignedLocal(now), share, now);
    return new LimitState(local, heldShare, slices, peerCounts, sliceDemand, cap, part, regionUse);
  }

  /** Returns this state with nothing charged in the running day, if nobody else spends it. */
  LimitState emptied() {
    return local instanceof DayState day && !isShared() ? with(day.emptied()) : this;
  }

  /** Returns this state after an outage. */
  LimitState rejoined() {
    return outageCap == null
        ? this
        : new LimitState(local, heldShare, slices, peerCounts, sliceDemand, null, null, regionUse);
  }

  /**
   * Returns the state of this instance's share of a limit, or null for none.
   *
   * @param own the local state, which is charged to the share when it begins
   * @param current the state of the share so far; null when it begins
   */
  private static @Nullable LocalState shareOf(
      @Nullable OutageCap cap, LocalState own, @Nullable LocalState current, long now) {
    LimitSpec part =
        cap instanceof OutageCap.Share(long members) ? LimitParts.of(own.spec(), members) : null;
    if (part == null) {
      return null;
    }
    return current == null && part instanceof LimitSpec.Strict strict
        ? StrictState.justUsed(strict, now)
        : CellGrid.become(current == null ? own : current, part, now);
  }

  /** Returns this state with what other regions report. */
  LimitState withRegions(RegionCounts counts, long now) {
    LocalState own = local.frozen();
    return with(
        regionUse == null
            ? RegionUse.none(counts, own.balance(now).reserved(), now)
            : regionUse.with(counts, now));
  }

  /** Returns this state when other regions no longer share it. */
  LimitState withoutRegions() {
    return regionUse == null ? this : with((RegionUse) null);
  }

  /** Returns this state with other use in the cells of regions. */
  LimitState withUse(RegionUse use) {
    return with(use);
  }

  /** Returns this state with more slices; itself when it is not shared. */
  LimitState withSlices(
      List<CellAmount> more, StoreReport storeReport, LongFunction<CellGrid.Span> spans) {
    return slices == null ? this : with(slices.plus(local, more, storeReport, spans));
  }

  /** Returns this state with slices that may no longer be spent. */
  LimitState withSlicesDropped() {
    return slices == null ? this : with(slices.dropped());
  }

  /**
   * Returns this state for a report: its cells then contain all that it may still spend.
   *
   * @param grid the position of the cells
   * @param oldest the first cell that counts
   * @param ahead the last one that anything is granted in
   * @param keep how much may stay free in a cell
   */
  LimitState tallied(CellGrid grid, long oldest, long ahead, long keep, long now) {
    SharedSlices known = Objects.requireNonNull(slices, "the limit is not shared").at(grid);
    LocalState alone = known.aligned(local, now);
    return new LimitState(
        local instanceof ConcurrencyState ? local : alone,
        heldShare,
        known.tallied(alone, oldest, ahead, keep, now),
        null,
        sliceDemand,
        outageCap,
        share,
        regionUse);
  }

  /** Returns what to report of a limit that is shared in slices. */
  SpendingReport spendingReport(long now) {
    return Objects.requireNonNull(slices, "the limit is not shared").spendingReport(local, now);
  }
}
