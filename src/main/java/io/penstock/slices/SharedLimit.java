package io.penstock.slices;

import io.penstock.limit.CellAmount;
import io.penstock.limit.CellGrid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.SliceDemand;
import io.penstock.limit.SpendingReport;
import io.penstock.limit.StoreReport;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import io.penstock.time.CellClock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of one shared limit of this instance: what the store knows of it, and what to ask next.
 * Used by one thread at a time.
 */
final class SharedLimit {
  private static final long NONE = SliceStore.Ask.NONE;

  /** Weight of a new value in the average rate of spending: half per interval. */
  private static final double NEWER = 0.5;

  /** How long a limit keeps a stock after its last use. */
  static final long STOCKED_NANOS = 30_000_000_000L;

  /** The store forgets a limit after an idle hour, so it is asked for again before that. */
  private static final long KEPT_NANOS = 900_000_000_000L;

  /** An expected spending below this, in the time asked ahead, counts as none. */
  private static final double LITTLE = 0.01;

  private final LimitId id;
  private final Limit limit;
  private final SliceDemand sliceDemand;
  private final SyncPace pace;
  private LimitCells limitCells;
  private LimitSpec spec;

  private final StoredCells stored = new StoredCells();

  /** Birth of the limit in the last answer of the store. */
  private long born = NONE;

  /** Last birth that is known to have followed a loss. */
  private long bornAgain = NONE;

  /** Last cell that the store knows to be barred, as far as this instance reported it. */
  private long barred = NONE;

  /** Last cell in which no member is granted anything, in the last answer of the store. */
  private volatile long lost = NONE;

  /** Recovery after the store last lost this limit alone. */
  private @Nullable LossRecovery learning;

  /** Until then, the limit need not be looked at unless a ticket waits. */
  private long lookAt = Long.MIN_VALUE;

  /** Whether the store may not know all spending. */
  private boolean hasUnreported;

  /** Send time of the last acknowledged report, and whether the latest report was acknowledged. */
  private long acknowledgedAt;

  private boolean acknowledged = true;
  private final long keptNanos;
  private StoreReport storeReport = StoreReport.NOTHING;
  private long asked = Long.MIN_VALUE / 2;
  private long lookedAt;
  private long spent;
  private volatile long free;
  private double perNano;
  private long target;

  /** Maximum to ask ahead: a few members must not keep permits and the like for good. */
  private long mostAhead = Long.MAX_VALUE;

  /** Largest amount lacked at once while the limit is in use; this much is kept in stock. */
  private long stock;

  private long used = Long.MIN_VALUE / 2;

  /** Whether the last answer did not bring the amount that is lacked here. */
  private boolean denied;

  /** Round-trip time of the last answer. */
  private long wayNanos;

  SharedLimit(
      LimitId id,
      Limit limit,
      SliceDemand sliceDemand,
      LimitCells limitCells,
      SyncPace pace,
      long now) {
    this.id = id;
    this.limit = limit;
    this.sliceDemand = sliceDemand;
    this.limitCells = limitCells;
    this.spec = limit.spec();
    this.pace = pace;
    this.lookedAt = now;
    this.acknowledgedAt = now;
    // differs by limit, so that limits first seen together are not asked for together again
    this.keptNanos = KEPT_NANOS / 2 + (id.hashCode() & 0xff) * (KEPT_NANOS / 2 / 0x100);
  }

  Limit limit() {
    return limit;
  }

  SliceDemand demand() {
    return sliceDemand;
  }

  /** Returns the send time of the last acknowledged report. */
  long acknowledgedNanos() {
    return acknowledgedAt;
  }

  /** Returns unused tokens of slices at the last look; 0 for limits that count no tokens. */
  long freeTokens() {
    return switch (id.measure()) {
      case TOKENS, INPUT_TOKENS, OUTPUT_TOKENS -> free;
      case REQUESTS, CONCURRENCY -> 0;
    };
  }

  /** Returns whether nothing is granted because spending may have been lost. */
  boolean isBarred(long shared) {
    return lost != NONE && !limitCells.isOver(lost, shared);
  }

  /** Discards the knowledge about the store. */
  void markUncertain() {
    stored.markUncertain();
    lookAt = Long.MIN_VALUE;
  }

  /** Records that the store lost everything it knew. */
  void forgotten() {
    born = NONE;
    barred = NONE;
    markUncertain();
  }

  /**
   * Takes in another member's report that the store lost this limit.
   *
   * @param again birth of the limit after the loss
   * @param heardAt since when all members know of the loss, by the shared clock
   */
  void applyLoss(long again, long heardAt, StoreLives lives, CellClock clock, long now) {
    // A member that asked first after the loss, knowing no birth, waits like the others.
    if (again >= born && again != bornAgain) {
      lost(again, lives, clock, now);
    }
    if (again == born && learning != null) {
      learning.told(heardAt);
    }
  }

  private void lost(long again, StoreLives lives, CellClock clock, long now) {
    born = again;
    bornAgain = again;
    barred = NONE;
    stored.clear();
    markUncertain();
    learning = learning == null ? new LossRecovery(pace.ttlNanos(), false) : learning;
    learning.lost(lives.known(), clock.latest(now), Long.MAX_VALUE, now);
  }

  /** Returns the loss to report to the others, or null once they know it. */
  SliceStore.@Nullable Loss loss(long now) {
    return learns(now) && born != NONE ? new SliceStore.Loss(id, born) : null;
  }

  private boolean learns(long now) {
    return learning != null && learning.inProgress(now);
  }

  /** Takes in which members were heard. */
  void membersHeard(SliceStore.Answer answer, long now) {
    LossRecovery recovery = learning;
    if (recovery != null && recovery.inProgress(now)) {
      answer.members().forEach(member -> recovery.see(member, answer.clockNanos()));
      recovery.answered(now);
    }
  }

  /** Returns whether the store may not know all spending unless this limit is asked for. */
  boolean hasUnreported() {
    return hasUnreported;
  }

  /** Returns the urgency, low first: limits with waiting tickets, then those asked for long ago. */
  long turn() {
    if (born == NONE && !hasUnreported && sliceDemand.least() == 0) {
      return Long.MAX_VALUE;
    }
    return sliceDemand.least() > 0 ? asked - pace.renewalNanos() : asked;
  }

  /**
   * Returns the ask for this limit now; null when there is nothing to ask or report.
   *
   * @param storeLearns whether no slices of any limit may be taken
   * @param stockedNanos how long the limit keeps a stock after its last use
   */
  SliceStore.@Nullable Ask ask(
      CellClock clock, boolean storeLearns, StoreLives lives, long stockedNanos, long now) {
    if (now < lookAt && sliceDemand.least() == 0) {
      return null;
    }
    SliceStore.Ask ask = asks(clock, storeLearns || learns(now), lives, stockedNanos, now);
    boolean rests = now - used > pace.ttlNanos() && stock == 0;
    long pause = rests ? pace.heartbeatNanos() : pace.intervalNanos() / 2;
    lookAt = ask == null ? now + pause : now;
    return ask;
  }

  private SliceStore.@Nullable Ask asks(
      CellClock clock, boolean learning, StoreLives lives, long stockedNanos, long now) {
    recut(now);
    long earliest = clock.earliest(now);
    CellGrid cellGrid = limitCells.grid(clock, now);
    long oldest = limitCells.oldest(earliest);
    long ahead = limitCells.at(clock.latest(now) + 2 * pace.ttlNanos());
    long lack = sliceDemand.least();
    stock(lack, lives.living(earliest, pace.ttlNanos()), stockedNanos, now);
    // Amounts that are too small for each waiting ticket, here and elsewhere, may suffice together.
    boolean parts = denied && lack > 0 && limit.sharing().needsMissingSlices(lack, now);
    SpendingReport spendingReport =
        limit.sharing().spendingReport(cellGrid, oldest, ahead, keeps(parts, lack), now);
    free = spendingReport.usableNow() + spendingReport.usableLater();
    learnPace(spendingReport, stockedNanos, now);
    long head = lack > spendingReport.largestUsable() ? lack : 0;
    long left = Math.min(STOCKED_NANOS, limitCells.leftNanos(cellGrid, now));
    long soon = Math.max(stock, (long) (perNano * left) + 1);
    long usable = Math.min(spendingReport.usableNow(), soon) + spendingReport.usableLater();
    boolean low = lack > 0 || 2 * usable < target;
    long wanted = low && !parts ? Math.max(0, target - usable) : 0;
    long from =
        limitCells.slots()
            ? limitCells.at(earliest + wayNanos)
            : Math.min(stored.firstOther(spendingReport, oldest), limitCells.at(earliest));
    boolean news =
        !limitCells.slots()
            && (from < limitCells.at(earliest) || stored.differs(spendingReport, from));
    hasUnreported = stored.unsure() && SpentCells.any(spendingReport);
    long bars =
        Math.max(
            lives.barred(limitCells),
            this.learning == null ? NONE : this.learning.barred(limitCells));
    news |= bars > barred;
    if (!due(spendingReport, now) && !news && (learning || head + wanted == 0)) {
      return null;
    }
    return new SliceStore.Ask(
        id,
        spec,
        from,
        limitCells.slots() ? List.of() : SpentCells.from(spendingReport, from),
        learning ? 0 : Math.min(head, limit.capacity()),
        learning ? 0 : Math.min(wanted, limitCells.most(limit.capacity(), pace.ttlNanos())),
        bars,
        born);
  }

  /**
   * Returns whether an ask is due in any case: slices expire, permits need heartbeats, and the
   * store forgets idle limits.
   */
  private boolean due(SpendingReport spendingReport, long now) {
    boolean holds =
        spendingReport.largestUsable() > 0
            || (limitCells.endless() && SpentCells.any(spendingReport));
    return now - asked >= (holds && !limitCells.slots() ? pace.renewalNanos() : keptNanos)
        || ((born == NONE || !acknowledged) && now - asked >= pace.heartbeatNanos());
  }

  /** Returns how much stays free in a cell: all slots, since no other member can use them now. */
  private long keeps(boolean parts, long lack) {
    if (limitCells.slots()) {
      return Long.MAX_VALUE;
    }
    return parts ? 0 : Math.max(lack, 2 * target);
  }

  void asked(long now) {
    asked = now;
  }

  /** Switches to new cells after a change of kind; nothing is known about those yet. */
  private void recut(long now) {
    LimitSpec next = limit.spec();
    if (next.equals(spec)) {
      return;
    }
    spec = next;
    LimitCells same = limitCells.become(next);
    LimitCells other = same == null ? LimitCells.changed(next) : same;
    if (same == null && other != null) {
      limit.sharing().share(sliceDemand, now);
      stored.clear();
      barred = NONE;
      lost = NONE;
      acknowledged = false; // so that the store soon hears of the change
    }
    limitCells = other == null ? limitCells : other;
  }

  /** Sets the stock: all of the limit for a sole member, a small part for one of several. */
  private void stock(long lack, int members, long stockedNanos, long now) {
    if (lack > 0) {
      used = now;
    }
    long most = members == 1 ? limit.capacity() : limit.capacity() / (4L * members);
    mostAhead = members == 1 || !limitCells.stays() ? Long.MAX_VALUE : 2 * most;
    stock = now - used > stockedNanos ? 0 : Math.min(most, Math.max(stock, lack));
    target = Math.min(mostAhead, Math.max(target, stock));
  }

  private void learnPace(SpendingReport spendingReport, long stockedNanos, long now) {
    long elapsed = now - lookedAt;
    used = spendingReport.spent() > spent ? now : used;
    if (elapsed >= pace.leastNanos()) {
      double newer = NEWER * Math.min(1, (double) elapsed / pace.intervalNanos());
      perNano += newer * ((double) (spendingReport.spent() - spent) / elapsed - perNano);
      spent = spendingReport.spent();
      lookedAt = now;
      double ahead = perNano * pace.horizonNanos();
      // With too many limits to ask for, a single use does not count as a rate.
      double least = stockedNanos < pace.ttlNanos() ? 2 : LITTLE;
      long wanted = ahead < least ? 0 : (long) Math.ceil(ahead);
      target = Math.min(mostAhead, Math.max(stock, wanted));
    }
  }

  /**
   * Takes in the answer to an ask.
   *
   * @param grant null when the store did not acknowledge the ask
   * @param ends until when slices may be spent, by the local clock
   * @return whether the answer shows that the store lost everything it knew of this limit
   */
  boolean answered(
      SliceStore.Ask ask,
      SliceStore.@Nullable Grant grant,
      CellClock clock,
      StoreLives lives,
      long ends,
      long now) {
    acknowledged = grant != null;
    if (grant == null || limitCells.become(ask.spec()) == null) {
      markUncertain();
      return false;
    }
    acknowledgedAt = ends - pace.ttlNanos();
    boolean other = born != NONE && grant.born() != born;
    if (other || (ask.born() != NONE && ask.born() != grant.born())) {
      if (other) {
        lost(grant.born(), lives, clock, now);
      }
      markUncertain(); // the ask did not report everything
      return other;
    }
    born = grant.born();
    wayNanos = now - acknowledgedAt;
    stored.acknowledge(ask, limitCells.oldest(clock.earliest(now)));
    hasUnreported = false;
    barred = Math.max(barred, ask.barred());
    long denied = ask.lackedAtOnce() > 0 ? ask.lackedAtOnce() : Long.MAX_VALUE;
    limitCells.learnDayStart(grant.slices());
    for (CellAmount slice : grant.slices()) {
      stored.granted(slice);
      denied = slice.amount() < denied ? denied : Long.MAX_VALUE;
    }
    this.denied = denied != Long.MAX_VALUE;
    lost = grant.barred();
    long until = limitCells.leftUntil(grant, clock, ends, now);
    storeReport =
        new StoreReport(
            grant.capacity(), denied, now, ends, lost != NONE, grant.remaining(), until);
    limit
        .sharing()
        .addSlices(grant.slices(), storeReport, cell -> limitCells.span(cell, clock, ends, now));
    return false;
  }

  /** Returns whether waiting tickets should look again. */
  boolean suffices(long now) {
    long least = sliceDemand.least();
    return sliceDemand.hasLater() || (least > 0 && !limit.sharing().needsMissingSlices(least, now));
  }
}
