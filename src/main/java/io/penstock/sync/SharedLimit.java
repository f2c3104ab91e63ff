package io.penstock.sync;

import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.quota.LimitId;
import io.penstock.quota.Supply;
import io.penstock.time.CellClock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * State of one shared limit of this instance: what the store knows of it, and what to ask next.
 * Used by one thread at a time.
 */
final class SharedLimit {
  private static final long NONE = Supply.Ask.NONE;

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
  private final Demand demand;
  private final Pace pace;
  private Cells cells;
  private LimitSpec spec;

  private final Stored stored = new Stored();

  /** Birth of the limit in the last answer of the store. */
  private long born = NONE;

  /** Last birth that is known to have followed a loss. */
  private long bornAgain = NONE;

  /** Last cell that the store knows to be barred, as far as this instance reported it. */
  private long barred = NONE;

  /** Last cell in which no member is granted anything, in the last answer of the store. */
  private volatile long lost = NONE;

  /** Recovery after the store last lost this limit alone. */
  private @Nullable Recovery learning;

  /** Until then, the limit need not be looked at unless a ticket waits. */
  private long lookAt = Long.MIN_VALUE;

  /** Whether the store may not know all spending. */
  private boolean owes;

  /** Send time of the last acknowledged report, and whether the latest report was acknowledged. */
  private long notedAt;

  private boolean noted = true;
  private final long keptNanos;
  private Supplied supplied = Supplied.NOTHING;
  private long asked = Long.MIN_VALUE / 2;
  private long looked;
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

  SharedLimit(LimitId id, Limit limit, Demand demand, Cells cells, Pace pace, long now) {
    this.id = id;
    this.limit = limit;
    this.demand = demand;
    this.cells = cells;
    this.spec = limit.spec();
    this.pace = pace;
    this.looked = now;
    this.notedAt = now;
    // differs by limit, so that limits first seen together are not asked for together again
    this.keptNanos = KEPT_NANOS / 2 + (id.hashCode() & 0xff) * (KEPT_NANOS / 2 / 0x100);
  }

  Limit limit() {
    return limit;
  }

  Demand demand() {
    return demand;
  }

  /** Returns the send time of the last acknowledged report. */
  long notedNanos() {
    return notedAt;
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
    return lost != NONE && !cells.isOver(lost, shared);
  }

  /** Discards the knowledge about the store. */
  void doubt() {
    stored.doubt();
    lookAt = Long.MIN_VALUE;
  }

  /** Prepares for grants of the own share: the next ask reports everything. */
  void alone() {
    doubt();
    denied = false;
  }

  /** Records that the store lost everything it knew. */
  void forgotten() {
    born = NONE;
    barred = NONE;
    doubt();
  }

  /**
   * Takes in another member's report that the store lost this limit.
   *
   * @param again birth of the limit after the loss
   * @param heard since when all members know of the loss, by the shared clock
   */
  void told(long again, long heard, Lives lives, CellClock clock, long now) {
    // A member that asked first after the loss, knowing no birth, waits like the others.
    if (again >= born && again != bornAgain) {
      lost(again, lives, clock, now);
    }
    if (again == born && learning != null) {
      learning.told(heard);
    }
  }

  private void lost(long again, Lives lives, CellClock clock, long now) {
    born = again;
    bornAgain = again;
    barred = NONE;
    stored.clear();
    doubt();
    learning = learning == null ? new Recovery(pace.ttlNanos(), false) : learning;
    learning.lost(lives.known(), clock.latest(now), Long.MAX_VALUE, now);
  }

  /** Returns the loss to report to the others, or null once they know it. */
  Supply.@Nullable Loss loss(long now) {
    return learns(now) && born != NONE ? new Supply.Loss(id, born) : null;
  }

  private boolean learns(long now) {
    return learning != null && learning.lasts(now);
  }

  /** Takes in which members were heard. */
  void heard(Supply.Answer answer, long now) {
    Recovery lasting = learning;
    if (lasting != null && lasting.lasts(now)) {
      answer.members().forEach(member -> lasting.see(member, answer.clockNanos()));
      lasting.answered(now);
    }
  }

  /** Returns whether the store may not know all spending unless this limit is asked for. */
  boolean owes() {
    return owes;
  }

  /** Returns the urgency, low first: limits with waiting tickets, then those asked for long ago. */
  long turn() {
    if (born == NONE && !owes && demand.least() == 0) {
      return Long.MAX_VALUE;
    }
    return demand.least() > 0 ? asked - pace.renewalNanos() : asked;
  }

  /**
   * Returns the ask for this limit now; null when there is nothing to ask or report.
   *
   * @param storeLearns whether no slices of any limit may be taken
   * @param stockedNanos how long the limit keeps a stock after its last use
   */
  Supply.@Nullable Ask ask(
      CellClock clock, boolean storeLearns, Lives lives, long stockedNanos, long now) {
    if (now < lookAt && demand.least() == 0) {
      return null;
    }
    Supply.Ask ask = asks(clock, storeLearns || learns(now), lives, stockedNanos, now);
    boolean rests = now - used > pace.ttlNanos() && stock == 0;
    long pause = rests ? pace.heartbeatNanos() : pace.intervalNanos() / 2;
    lookAt = ask == null ? now + pause : now;
    return ask;
  }

  private Supply.@Nullable Ask asks(
      CellClock clock, boolean learning, Lives lives, long stockedNanos, long now) {
    recut(now);
    long earliest = clock.earliest(now);
    Grid grid = cells.grid(clock, now);
    long oldest = cells.oldest(earliest);
    long ahead = cells.at(clock.latest(now) + 2 * pace.ttlNanos());
    long lack = demand.least();
    stock(lack, lives.living(earliest, pace.ttlNanos()), stockedNanos, now);
    // Amounts that are too small for each waiting ticket, here and elsewhere, may suffice together.
    boolean parts = denied && lack > 0 && limit.lacks(lack, now);
    Tally tally = limit.tally(grid, oldest, ahead, keeps(parts, lack), now);
    free = tally.freeNow() + tally.freeLater();
    learnPace(tally, stockedNanos, now);
    long head = lack > tally.most() ? lack : 0;
    long left = Math.min(STOCKED_NANOS, cells.leftNanos(grid, now));
    long soon = Math.max(stock, (long) (perNano * left) + 1);
    long usable = Math.min(tally.freeNow(), soon) + tally.freeLater();
    boolean low = lack > 0 || 2 * usable < target;
    long wanted = low && !parts ? Math.max(0, target - usable) : 0;
    long from =
        cells.slots()
            ? cells.at(earliest + wayNanos)
            : Math.min(stored.firstOther(tally, oldest), cells.at(earliest));
    boolean news = !cells.slots() && (from < cells.at(earliest) || stored.differs(tally, from));
    owes = stored.unsure() && Spending.any(tally);
    long bars =
        Math.max(lives.barred(cells), this.learning == null ? NONE : this.learning.barred(cells));
    news |= bars > barred;
    if (!due(tally, now) && !news && (learning || head + wanted == 0)) {
      return null;
    }
    return new Supply.Ask(
        id,
        spec,
        from,
        cells.slots() ? List.of() : Spending.from(tally, from),
        learning ? 0 : Math.min(head, limit.capacity()),
        learning ? 0 : Math.min(wanted, cells.most(limit.capacity(), pace.ttlNanos())),
        bars,
        born);
  }

  /**
   * Returns whether an ask is due in any case: slices expire, permits need heartbeats, and the
   * store forgets idle limits.
   */
  private boolean due(Tally tally, long now) {
    boolean holds = tally.most() > 0 || (cells.endless() && Spending.any(tally));
    return now - asked >= (holds && !cells.slots() ? pace.renewalNanos() : keptNanos)
        || ((born == NONE || !noted) && now - asked >= pace.heartbeatNanos());
  }

  /** Returns how much stays free in a cell: all slots, since no other member can use them now. */
  private long keeps(boolean parts, long lack) {
    if (cells.slots()) {
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
    Cells same = cells.become(next);
    Cells other = same == null ? Cells.changed(next) : same;
    if (same == null && other != null) {
      limit.share(demand, now);
      stored.clear();
      barred = NONE;
      lost = NONE;
      noted = false; // so that the store soon hears of the change
    }
    cells = other == null ? cells : other;
  }

  /** Sets the stock: all of the limit for a sole member, a small part for one of several. */
  private void stock(long lack, int members, long stockedNanos, long now) {
    if (lack > 0) {
      used = now;
    }
    long most = members == 1 ? limit.capacity() : limit.capacity() / (4L * members);
    mostAhead = members == 1 || !cells.stays() ? Long.MAX_VALUE : 2 * most;
    stock = now - used > stockedNanos ? 0 : Math.min(most, Math.max(stock, lack));
    target = Math.min(mostAhead, Math.max(target, stock));
  }

  private void learnPace(Tally tally, long stockedNanos, long now) {
    long elapsed = now - looked;
    used = tally.spent() > spent ? now : used;
    if (elapsed >= pace.leastNanos()) {
      double newer = NEWER * Math.min(1, (double) elapsed / pace.intervalNanos());
      perNano += newer * ((double) (tally.spent() - spent) / elapsed - perNano);
      spent = tally.spent();
      looked = now;
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
      Supply.Ask ask,
      Supply.@Nullable Grant grant,
      CellClock clock,
      Lives lives,
      long ends,
      long now) {
    noted = grant != null;
    if (grant == null || cells.become(ask.spec()) == null) {
      doubt();
      return false;
    }
    notedAt = ends - pace.ttlNanos();
    boolean other = born != NONE && grant.born() != born;
    if (other || (ask.born() != NONE && ask.born() != grant.born())) {
      if (other) {
        lost(grant.born(), lives, clock, now);
      }
      doubt(); // the ask did not report everything
      return other;
    }
    born = grant.born();
    wayNanos = now - notedAt;
    stored.told(ask, cells.oldest(clock.earliest(now)));
    owes = false;
    barred = Math.max(barred, ask.barred());
    List<Tally.Counted> more = new ArrayList<>();
    long denied = ask.head() > 0 ? ask.head() : Long.MAX_VALUE;
    cells.heard(grant.slices());
    for (Supply.Slice slice : grant.slices()) {
      stored.granted(slice);
      more.add(new Tally.Counted(slice.cell(), slice.amount()));
      denied = slice.amount() < denied ? denied : Long.MAX_VALUE;
    }
    this.denied = denied != Long.MAX_VALUE;
    lost = grant.barred();
    long until = cells.leftUntil(grant, clock, ends, now);
    supplied = new Supplied(grant.capacity(), denied, now, ends, lost != NONE, grant.left(), until);
    limit.granted(more, supplied, cell -> cells.span(cell, clock, ends, now));
    return false;
  }

  /** Adds slices of the own share during an outage, unknown to the store. */
  void grantedAlone(List<Supply.Slice> slices, CellClock clock, long ends, long now) {
    List<Tally.Counted> more = new ArrayList<>();
    cells.heard(slices);
    slices.forEach(slice -> more.add(new Tally.Counted(slice.cell(), slice.amount())));
    limit.granted(more, supplied.alone(now), cell -> cells.span(cell, clock, ends, now));
  }

  /** Returns whether waiting tickets should look again. */
  boolean suffices(long now) {
    long least = demand.least();
    return demand.hasLater() || (least > 0 && !limit.lacks(least, now));
  }
}
