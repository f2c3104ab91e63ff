package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.Objects;
import java.util.function.LongPredicate;

/**
 * Part of a {@link LimitState} that holds the limit to this instance's share of it. The {@link
 * LocalState} counts what this instance spends of the whole limit, and the others are taken to
 * spend all but the share. A bucket is itself as large as the share.
 *
 * @param whole the whole limit
 * @param amount the share, ≥ 0
 * @param later the share in a later day, which begins at {@code laterNanos}
 * @param laterNanos {@link Ticker#NEVER} for limits without days
 * @param lease tells whether the share may be spent at an instant
 * @param gridNanos when one of the fixed windows begins; {@link Ticker#NEVER} for other kinds
 * @param ended the last window or day that ended
 * @param spent all that was ever spent
 * @param news what the store said last
 */
record HeldShare(
    LimitSpec whole,
    long amount,
    long later,
    long laterNanos,
    LongPredicate lease,
    long gridNanos,
    EndedCell ended,
    long spent,
    ShareNews news) {
  /** The amount that was spent in a window or day that has ended, by its start or end. */
  record EndedCell(long mark, long amount) {
    static final EndedCell NONE = new EndedCell(Long.MIN_VALUE / 2, 0);
  }

  /** Returns an empty share. */
  static HeldShare none(LimitSpec whole, LongPredicate lease) {
    return new HeldShare(
        whole, 0, 0, Ticker.NEVER, lease, Ticker.NEVER, EndedCell.NONE, 0, ShareNews.NOTHING);
  }

  /** Returns this share of another amount. */
  HeldShare of(long next, long nextLater, long nextLaterNanos, long nextGridNanos) {
    return new HeldShare(
        whole, next, nextLater, nextLaterNanos, lease, nextGridNanos, ended, spent, news);
  }

  /**
   * Returns this share of another limit. If that has other windows or days, nothing may be spent in
   * a later day before the share is held anew.
   */
  HeldShare of(LimitSpec next, long now) {
    boolean same = hasSameCells(whole, next);
    long ends = next instanceof LimitSpec.Day day ? endOf(day, now) : Ticker.NEVER;
    return new HeldShare(
        next,
        amount,
        same ? later : 0,
        same ? laterNanos : ends,
        lease,
        same ? gridNanos : Ticker.NEVER,
        ended,
        spent,
        news);
  }

  /** Returns the local state of another limit; a day that ends at another time begins anew. */
  LocalState become(LocalState local, LimitSpec next, long now) {
    LocalState changed = StateFactory.changed(freed(local, now), next, now).frozen();
    return changed instanceof DayState day && !hasSameCells(whole, next)
        ? day.begunAnew(now)
        : changed;
  }

  private static boolean hasSameCells(LimitSpec one, LimitSpec other) {
    if (one instanceof LimitSpec.Day day && other instanceof LimitSpec.Day next) {
      return day.guardNanos() == next.guardNanos()
          && Objects.equals(day.midnight(), next.midnight());
    }
    return one.getClass().equals(other.getClass()) && one.windowNanos() == other.windowNanos();
  }

  private static long endOf(LimitSpec.Day day, long now) {
    return day.midnight() == null
        ? Ticker.NEVER
        : day.midnight().after(now - day.guardNanos(), now) + day.guardNanos();
  }

  /** Returns this share with what the store said. */
  HeldShare with(ShareNews next) {
    return new HeldShare(whole, amount, later, laterNanos, lease, gridNanos, ended, spent, next);
  }

  /** Returns the share at {@code now}, whether or not it may be spent. */
  long amount(LocalState local, long now) {
    return now >= laterNanos || isInLaterDay(local, now) ? Math.min(amount, later) : amount;
  }

  /** Returns whether the local state is in a later day already: it reads the clock by itself. */
  private boolean isInLaterDay(LocalState local, long now) {
    return laterNanos != Ticker.NEVER
        && local instanceof DayState day
        && day.isBeyond(laterNanos, now);
  }

  private long spendable(LocalState local, long now) {
    return lease.test(now) ? amount(local, now) : 0;
  }

  /**
   * Returns the local state with a fixed window that begins with that of all instances, or a day
   * that ends with theirs.
   */
  LocalState aligned(LocalState local, long now) {
    if (local instanceof DayState day && runsFirstUse(day, now)) {
      return day.until(laterNanos);
    }
    return local instanceof FixedWindowState window && gridNanos != Ticker.NEVER
        ? window.anchored(start(window.spec(), now), now)
        : local;
  }

  /** Returns when the fixed window began that runs at {@code now}. */
  private long start(LimitSpec.FixedWindow window, long now) {
    return now - Math.floorMod(now - gridNanos, window.windowNanos());
  }

  /** Returns whether a day runs that began with its first use, perhaps at another instance. */
  private boolean runsFirstUse(DayState day, long now) {
    return day.beginsWithFirstUse() && laterNanos != Ticker.NEVER && now < laterNanos;
  }

  /** Returns what this instance must hold itself to: what counts of all that it has spent. */
  static long least(LocalState local, long now) {
    LimitBalance owed = local.balance(now);
    return switch (local) {
      case StrictState strict -> strict.isDue(now) ? 0 : 1;
      case TokenBucketState _ -> AmountBound.sum(owed.debt(), owed.reserved());
      default -> AmountBound.sum(owed.charged(), owed.reserved());
    };
  }

  /** Returns what is owed, when the local state says {@code own}. */
  LimitBalance balance(LocalState local, LimitBalance own) {
    // a bucket without a share has the size 1, because none has the size 0
    return local instanceof TokenBucketState && amount == 0
        ? new LimitBalance(0, own.debt(), own.reserved())
        : own;
  }

  /** Returns what counts now, as far as a share is needed for it. */
  long used(LocalState local, long now) {
    return local instanceof TokenBucketState bucket
        ? Math.max(0, amount - bucket.room(now))
        : least(aligned(local, now), now);
  }

  /** Returns the amount that is admitted now, ignoring the pace, ≥ 0. */
  long room(LocalState local, long now) {
    LocalState own = aligned(local, now);
    return Math.min(own.room(now), rest(own, now));
  }

  /** Returns what is left of the share. */
  private long rest(LocalState own, long now) {
    long share = spendable(own, now);
    if (share == 0) {
      return 0;
    }
    return switch (own) {
      case TokenBucketState _, StrictState _ -> own.room(now);
      default -> Math.max(0, share - least(own, now));
    };
  }

  /** Returns what would be admitted now if only this instance took from the limit. */
  long localRoom(LocalState local, long now) {
    LocalState own = aligned(local, now);
    long left = own.room(now);
    if (!(own instanceof TokenBucketState)) {
      return left;
    }
    long others = Math.max(0, whole.capacity() - amount);
    return amount == 0 ? others : AmountBound.sum(left, others);
  }

  /**
   * Returns the instant at which {@code amount} has room if the share stays; never when it is
   * larger than the share.
   */
  long roomFreeAt(LocalState local, long need, long now) {
    LocalState own = aligned(local, now);
    if (need == 0) {
      return own.roomFreeAt(0, now);
    }
    if (need > spendable(own, now)) {
      return Ticker.NEVER;
    }
    long others = own instanceof TokenBucketState ? 0 : own.capacity(now) - amount(own, now);
    return Math.max(
        own.roomFreeAt(need, now), others <= 0 ? now : own.roomFreeAt(need + others, now));
  }

  /** Returns whether a larger share would let {@code need} pass sooner. */
  boolean lacks(LocalState local, long need, long now) {
    return need <= localRoom(local, now)
        && (need > room(local, now)
            || (amount(local, now) < local.capacity(now)
                && aligned(local, now).paceAllowsAt(need, now) > now));
  }

  /** Returns whether only a larger share is lacking, and it is not known yet if there is one. */
  boolean isAwaiting(LocalState local, long need, long now) {
    return isShort(local, need, now)
        && !news.denies(need, now)
        && news.contact() != ShareNews.Contact.AWAY;
  }

  /** Returns whether only a larger share is lacking, and the store is away. */
  boolean isUnavailable(LocalState local, long need, long now) {
    return news.contact() == ShareNews.Contact.AWAY && isShort(local, need, now);
  }

  private boolean isShort(LocalState local, long need, long now) {
    return need > room(local, now) && need <= localRoom(local, now);
  }

  /**
   * Returns what is left of the limit for all instances, as far as is known: what no instance has,
   * with what is left of this share, or what is left beside the use of which the others told, if
   * that is more.
   *
   * @param full the instant from which all of it is left, as this instance alone knows
   */
  LimitRemainder remainder(LocalState local, long full, long now) {
    PeerCounts others = news.told();
    long all = localRoom(local, now);
    long had = AmountBound.sum(rest(aligned(local, now), now), news.free(now));
    long beside = others == null ? 0 : Math.max(0, all - others.counted(whole, now));
    long left = Math.min(Math.max(had, beside), Math.min(all, news.denied(now) - 1));
    long wholeAt = left < all ? allFreeAt(local, whole.capacity(), now) : Ticker.NEVER;
    return new LimitRemainder(left, wholeAt == Ticker.NEVER ? full : Math.max(full, wholeAt));
  }

  /**
   * Returns the instant from which the limit has room for {@code need}, which no instance is known
   * to have now; {@link Ticker#NEVER} when that is unknown.
   */
  long wholeRoomFreeAt(LocalState local, long need, long now) {
    return news.denies(need, now) ? allFreeAt(local, need, now) : Ticker.NEVER;
  }

  private long allFreeAt(LocalState local, long need, long now) {
    PeerCounts others = news.told();
    return switch (local) {
      case DayState _ -> laterNanos;
      case FixedWindowState window when gridNanos != Ticker.NEVER ->
          start(window.spec(), now) + window.spec().windowNanos();
      default -> {
        long at = others == null ? now : others.roomFreeAt(local, whole, need, now);
        yield at > now ? at : Ticker.NEVER;
      }
    };
  }

  /** Returns the local state after part or all of a receipt was given back. */
  LocalState givenBack(
      LocalState local, LimitAnswer.Receipt receipt, long taken, long held, long now) {
    LocalState own = aligned(local, now);
    // where a window begins or a day ends is read from the wall clock again and again
    return length(own) > 0 && Math.abs(mark(own) - receipt.cell()) < length(own) / 2
        ? own.giveBack(mark(own), taken, held, now)
        : own.giveBack(receipt, taken, held, now);
  }

  /** Returns a local state after something was taken; a fixed window begins with its cell. */
  LocalState begun(LocalState before, LocalState next, long now) {
    if (before instanceof DayState day
        && next instanceof DayState begun
        && runsFirstUse(day, now)
        && day.isIdle(now)) {
      return begun.ending(day.endsAt());
    }
    return gridNanos != Ticker.NEVER
            && before instanceof FixedWindowState idle
            && next instanceof FixedWindowState begun
            && idle.isIdle()
        ? begun.beginning(idle.start())
        : next;
  }

  /**
   * Returns this share after an amount was taken or charged.
   *
   * @param before the local state before, not aligned
   * @param next the one after
   */
  HeldShare spending(LocalState before, LocalState next, long more) {
    long total = AmountBound.sum(spent, Math.max(0, more));
    EndedCell last = isSameCell(before, next) ? ended : new EndedCell(mark(before), in(before));
    boolean begins =
        next instanceof DayState day && !isSameCell(before, next) && beginsFirstUse(day);
    boolean isLater = begins && laterNanos != Ticker.NEVER;
    return new HeldShare(
        whole,
        isLater ? Math.min(amount, later) : amount,
        later,
        begins ? mark(next) : laterNanos,
        lease,
        gridNanos,
        last,
        total,
        news);
  }

  /** Returns whether a day has begun with its first use that is later than that of the share. */
  private boolean beginsFirstUse(DayState day) {
    return day.beginsWithFirstUse()
        && (laterNanos == Ticker.NEVER || day.endsAt() - laterNanos > length(day) / 2);
  }

  /** Returns what was spent in the last window or day before the running one. */
  long earlier(LocalState local, long now) {
    LocalState own = aligned(local, now);
    if (own instanceof DayState day && now >= day.endsAt()) {
      return now - day.endsAt() < length(own) ? day.charged() : 0;
    }
    long since = mark(own) - (isSameCell(local, own) ? ended.mark() : mark(local));
    boolean isNext = since <= length(own) * 3 / 2;
    return isNext ? isSameCell(local, own) ? ended.amount() : in(local) : 0;
  }

  /** Returns whether both are of one window or day; where it begins is read again and again. */
  private static boolean isSameCell(LocalState one, LocalState other) {
    return Math.abs(mark(one) - mark(other)) <= length(one) / 2;
  }

  /** Returns the length of a window or day that ends at once; 0 for other kinds. */
  private static long length(LocalState local) {
    return switch (local) {
      case FixedWindowState _, DayState _ -> local.spec().windowNanos();
      default -> 0;
    };
  }

  /**
   * Returns what is spent and waited for.
   *
   * @param grid when one of the fixed windows begins, as it is known now
   * @param capacity of the whole limit now
   * @param lacking the largest amount that waits for a larger share; 0 for none
   */
  ShareStanding standing(LocalState local, long grid, long capacity, long lacking, long now) {
    HeldShare share = of(amount, later, laterNanos, grid);
    return share.standing(local, capacity, lacking, now);
  }

  private ShareStanding standing(LocalState local, long capacity, long lacking, long now) {
    LocalState own = aligned(local, now);
    long least = least(own, now);
    long share = amount(own, now);
    long need = lacking == 0 ? 0 : Math.max(AmountBound.sum(least, lacking), share + 1);
    return new ShareStanding(
        capacity,
        share,
        least,
        used(local, now),
        Math.min(capacity, need),
        lacking,
        spent,
        earlier(local, now));
  }

  private static long mark(LocalState local) {
    return switch (local) {
      case FixedWindowState window -> window.start();
      case DayState day -> day.endsAt();
      default -> 0;
    };
  }

  private static long in(LocalState local) {
    return switch (local) {
      case FixedWindowState window -> AmountBound.sum(window.charged(), window.debt());
      case DayState day -> day.charged();
      default -> 0;
    };
  }

  /**
   * Returns a local state that is held to this share: a bucket is as large as the share, a pace
   * runs at it, slots in which others may have released are not used later, and a day ends when a
   * later one begins.
   */
  LocalState fitting(LocalState local, long before, long now) {
    return switch (local) {
      case TrailingWindowState window -> window.paced(Math.max(1, amount), now);
      case TokenBucketState bucket when whole instanceof LimitSpec.TokenBucket all ->
          bucket.holding(ShareSpec.of(all, Math.max(1, amount)), before == 0 ? 0 : amount, now);
      case StrictState strict when before == 0 && amount > 0 -> strict.begunAnew(now);
      case DayState day when laterNanos != Ticker.NEVER -> day.until(laterNanos);
      default -> local;
    };
  }

  /** Returns a local state that is held to no share any more. */
  LocalState freed(LocalState local, long now) {
    LocalState own = aligned(local, now);
    return switch (own) {
      case TrailingWindowState window -> window.paced(Long.MAX_VALUE, now);
      case TokenBucketState bucket when whole instanceof LimitSpec.TokenBucket all ->
          bucket.holding(all, amount, now);
      default -> own;
    };
  }
}
