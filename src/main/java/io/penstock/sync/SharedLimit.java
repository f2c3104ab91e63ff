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
 * What the store knows of one limit of this instance, and what is to be asked of it next. Belongs
 * to one thread at a time.
 */
final class SharedLimit {
  private static final long NONE = Supply.Ask.NONE;

  /** How the pace of spending is smoothed: by half in an interval. */
  private static final double NEWER = 0.5;

  /** For how long after its last use a limit has a stock. */
  static final long STOCKED_NANOS = 30_000_000_000L;

  /** The store forgets what is idle for an hour: before that it is asked for again. */
  private static final long KEPT_NANOS = 900_000_000_000L;

  /** In the time for which slices are asked ahead, it is as good as nothing. */
  private static final double LITTLE = 0.01;

  private final LimitId id;
  private final Limit limit;
  private final Demand demand;
  private final Pace pace;
  private Cells cells;
  private LimitSpec spec;

  private final Stored stored = new Stored();

  /** Which birth of it the store said last. */
  private long born = NONE;

  /** Which of them came after a loss, the last one that is known of. */
  private long bornAgain = NONE;

  /** The last cell the store knows to be barred, as far as this instance told it. */
  private long barred = NONE;

  /** The last cell in which nobody is granted anything, as far as the store said last. */
  private volatile long lost = NONE;

  /** What became of it after the store lost it alone, the last time. */
  private @Nullable Recovery learning;

  /** It need not be looked at before, unless somebody waits. */
  private long lookAt = Long.MIN_VALUE;

  /** Whether the store may not know of all that was spent. */
  private boolean owes;

  /** When was sent what the store took note of last, and whether it did the last time. */
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

  /** What never comes back unless it is given back is not to be wanted for good by a few. */
  private long mostAhead = Long.MAX_VALUE;

  /** The most that was lacked at once while the limit is in use: it is kept in stock. */
  private long stock;

  private long used = Long.MIN_VALUE / 2;

  /** Whether the last answer brought nobody here what was lacked. */
  private boolean denied;

  /** For how long the last answer was under way, there and back. */
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
    // those that were first seen at the same time are not asked for again at the same time
    this.keptNanos = KEPT_NANOS / 2 + (id.hashCode() & 0xff) * (KEPT_NANOS / 2 / 0x100);
  }

  Limit limit() {
    return limit;
  }

  Demand demand() {
    return demand;
  }

  /** Returns when was sent what the store took note of last. */
  long notedNanos() {
    return notedAt;
  }

  /** What of slices was left when it was looked at last; 0 of what counts no tokens. */
  long freeTokens() {
    return switch (id.measure()) {
      case TOKENS, INPUT_TOKENS, OUTPUT_TOKENS -> free;
      case REQUESTS, CONCURRENCY -> 0;
    };
  }

  /** Whether nothing is granted of it because what was spent may have been lost. */
  boolean isBarred(long shared) {
    return lost != NONE && !cells.isOver(lost, shared);
  }

  /** What is known of the store is no more. */
  void doubt() {
    stored.doubt();
    lookAt = Long.MIN_VALUE;
  }

  /** It has its part to itself: all there is is said anew, and nobody else was denied any. */
  void alone() {
    doubt();
    denied = false;
  }

  /** The store lost all it knew. */
  void forgotten() {
    born = NONE;
    barred = NONE;
    doubt();
  }

  /**
   * Takes note of another's word that the store lost this limit.
   *
   * @param again when it was born again
   * @param heard since when all are told, by the shared clock
   */
  void told(long again, long heard, Lives lives, CellClock clock, long now) {
    // who asked first after the loss, and knew of none, waits for what the others say as they do
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

  /** What the others are to be told, or null once they were. */
  Supply.@Nullable Loss loss(long now) {
    return learns(now) && born != NONE ? new Supply.Loss(id, born) : null;
  }

  private boolean learns(long now) {
    return learning != null && learning.lasts(now);
  }

  /** Takes in who was heard. */
  void heard(Supply.Answer answer, long now) {
    Recovery lasting = learning;
    if (lasting != null && lasting.lasts(now)) {
      answer.members().forEach(member -> lasting.see(member, answer.clockNanos()));
      lasting.answered(now);
    }
  }

  /** Whether, while it is not asked for, the store may not know of all that was spent. */
  boolean owes() {
    return owes;
  }

  /** How urgent it is to ask: the lower, the more; those who wait come first, then the oldest. */
  long turn() {
    if (born == NONE && !owes && demand.least() == 0) {
      return Long.MAX_VALUE;
    }
    return demand.least() > 0 ? asked - pace.renewalNanos() : asked;
  }

  /**
   * What there is to say now; null for nothing.
   *
   * @param storeLearns whether no slices of any limit are taken
   * @param stockedNanos for how long after its last use it keeps a stock
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
    // What does not suffice for any who wait, here or elsewhere, may do so together.
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
   * Slices end, permits are those of a member that is heard, and what is left alone is forgotten.
   */
  private boolean due(Tally tally, long now) {
    boolean holds = tally.most() > 0 || (cells.endless() && Spending.any(tally));
    return now - asked >= (holds && !cells.slots() ? pace.renewalNanos() : keptNanos)
        || ((born == NONE || !noted) && now - asked >= pace.heartbeatNanos());
  }

  /** How much stays free in a cell: slots are of use to nobody else any more. */
  private long keeps(boolean parts, long lack) {
    if (cells.slots()) {
      return Long.MAX_VALUE;
    }
    return parts ? 0 : Math.max(lack, 2 * target);
  }

  void asked(long now) {
    asked = now;
  }

  /** A limit that became one of another kind has other cells: nothing of it is known there. */
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
      noted = false; // soon the store hears that it has changed
    }
    cells = other == null ? cells : other;
  }

  /** Who alone has the limit has all of it in stock; several, little enough for the others. */
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
      // where there is too much to ask, a single use is not taken for a pace
      double least = stockedNanos < pace.ttlNanos() ? 2 : LITTLE;
      long wanted = ahead < least ? 0 : (long) Math.ceil(ahead);
      target = Math.min(mostAhead, Math.max(stock, wanted));
    }
  }

  /**
   * Takes in what an ask was answered.
   *
   * @param grant null when it was not taken note of
   * @param ends until when slices may be spent, by the own clock
   * @return whether the store turns out to have lost all it knew of this limit
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
      doubt(); // what was said was not all there is to say
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

  /** Adds what it is granted of its part while it is cut off: the store knows nothing of it. */
  void grantedAlone(List<Supply.Slice> slices, CellClock clock, long ends, long now) {
    List<Tally.Counted> more = new ArrayList<>();
    cells.heard(slices);
    slices.forEach(slice -> more.add(new Tally.Counted(slice.cell(), slice.amount())));
    limit.granted(more, supplied.alone(now), cell -> cells.span(cell, clock, ends, now));
  }

  /** Whether those who wait are to look again. */
  boolean suffices(long now) {
    long least = demand.least();
    return demand.hasLater() || (least > 0 && !limit.lacks(least, now));
  }
}
