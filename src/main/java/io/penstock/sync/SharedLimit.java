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
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the store knows of one limit of this instance, and what is to be asked of it next. Belongs
 * to one thread at a time.
 */
final class SharedLimit {
  /** How the pace of spending is smoothed: by half in an interval. */
  private static final double NEWER = 0.5;

  /** For how long after its last use a limit has a stock. */
  private static final long STOCKED_NANOS = 30_000_000_000L;

  private final LimitId id;
  private final Limit limit;
  private final Demand demand;
  private final Pace pace;
  private Cells cells;
  private LimitSpec spec;

  /** What counts there by cell, as far as the last answer tells. */
  private final TreeMap<Long, Long> stored = new TreeMap<>();

  /** Whether the store may count anything else, in any cell. */
  private boolean unsure = true;

  private long lowest = Long.MAX_VALUE;
  private long asked = Long.MIN_VALUE / 2;
  private long looked;
  private long spent;
  private double perNano;
  private long target;

  /** The most that was lacked at once while the limit is in use: it is kept in stock. */
  private long stock;

  private long used = Long.MIN_VALUE / 2;

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
  }

  Limit limit() {
    return limit;
  }

  Demand demand() {
    return demand;
  }

  /** What is known of the store is no more. */
  void doubt() {
    unsure = true;
  }

  /** What there is to say now; null for nothing. */
  Supply.@Nullable Ask ask(CellClock clock, boolean learning, Lives lives, long now) {
    recut(now);
    long earliest = clock.earliest(now);
    Grid grid = cells.grid(clock, now);
    long oldest = cells.oldest(earliest);
    long ahead = cells.at(clock.latest(now) + pace.ttlNanos());
    long lack = demand.least();
    stock(lack, lives.living(earliest, pace.ttlNanos()), now);
    Tally tally = limit.tally(grid, oldest, ahead, Math.max(lack, 2 * target), now);
    learnPace(tally, now);
    long head = lack > tally.most() ? lack : 0;
    long left = Math.min(STOCKED_NANOS, grid.cellNanos() - (now - grid.startNanos()));
    long soon = Math.max(stock, (long) (perNano * left) + 1);
    long usable = Math.min(tally.freeNow(), soon) + tally.freeLater();
    boolean low = lack > 0 || 2 * usable < target;
    long wanted = low ? Math.max(0, target - usable) : 0;
    long from =
        cells.slots()
            ? cells.at(earliest + wayNanos)
            : Math.min(firstOther(tally, oldest), cells.at(earliest));
    boolean renews = !cells.slots() && (tally.most() > 0 || inUse(tally));
    boolean due = now - asked >= pace.ttlNanos() / 3 && renews;
    boolean news = !cells.slots() && (from < cells.at(earliest) || differs(tally, from));
    if (!due && !news && (learning || head + wanted == 0)) {
      return null;
    }
    asked = now;
    return new Supply.Ask(
        id,
        limit.spec(),
        from,
        cells.slots() ? List.of() : uses(tally, from),
        learning ? 0 : Math.min(head, limit.capacity()),
        learning ? 0 : Math.min(wanted, cells.most(limit.capacity(), pace.ttlNanos())),
        lives.barred(cells));
  }

  /** A limit that became one of another kind has other cells: nothing of it is known there. */
  private void recut(long now) {
    LimitSpec next = limit.spec();
    if (next.equals(spec)) {
      return;
    }
    spec = next;
    Cells same = cells.become(next);
    Cells other = same == null ? Cells.of(next) : same;
    if (same == null && other != null) {
      limit.share(demand, now);
      stored.clear();
      unsure = true;
    }
    cells = other == null ? cells : other;
  }

  /** Who alone has the limit has all of it in stock; several, little enough for the others. */
  private void stock(long lack, int members, long now) {
    if (lack > 0) {
      used = now;
    }
    long most = members == 1 ? limit.capacity() : Math.max(1, limit.capacity() / (4L * members));
    stock = now - used > STOCKED_NANOS ? 0 : Math.min(most, Math.max(stock, lack));
    target = Math.max(target, stock);
  }

  private void learnPace(Tally tally, long now) {
    long elapsed = now - looked;
    used = tally.spent() > spent ? now : used;
    if (elapsed >= pace.leastNanos()) {
      double newer = NEWER * Math.min(1, (double) elapsed / pace.intervalNanos());
      perNano += newer * ((double) (tally.spent() - spent) / elapsed - perNano);
      spent = tally.spent();
      looked = now;
      target = Math.max(stock, (long) Math.ceil(perNano * pace.horizonNanos()));
    }
  }

  private static boolean inUse(Tally tally) {
    return !tally.counted().isEmpty() && tally.counted().getLast().amount() > 0;
  }

  /** The first cell of which the store may have another number. */
  private long firstOther(Tally tally, long oldest) {
    if (unsure) {
      return oldest;
    }
    for (Tally.Counted each : tally.counted()) {
      if (stored.getOrDefault(each.cell(), 0L) != each.amount()) {
        return each.cell();
      }
    }
    return Long.MAX_VALUE;
  }

  private boolean differs(Tally tally, long from) {
    boolean any = tally.counted().stream().anyMatch(each -> each.amount() > 0);
    return unsure
        ? any || !stored.isEmpty()
        : tally.counted().stream()
            .anyMatch(
                each ->
                    each.cell() >= from && stored.getOrDefault(each.cell(), 0L) != each.amount());
  }

  private static List<Supply.Use> uses(Tally tally, long from) {
    List<Supply.Use> uses = new ArrayList<>();
    for (Tally.Counted each : tally.counted()) {
      if (each.cell() >= from && each.amount() > 0) {
        uses.add(new Supply.Use(each.cell(), each.amount()));
      }
    }
    return uses;
  }

  /**
   * Takes in what an ask was answered.
   *
   * @param ends until when slices may be spent, by the own clock
   */
  void answered(
      Supply.Ask ask, Supply.@Nullable Grant grant, CellClock clock, long ends, long now) {
    wayNanos = now - (ends - pace.ttlNanos());
    stored.tailMap(ask.from(), true).clear();
    stored.headMap(cells.oldest(clock.earliest(now)), false).clear();
    ask.uses().forEach(use -> stored.put(use.cell(), use.amount()));
    unsure = false;
    List<Tally.Counted> more = new ArrayList<>();
    long denied = ask.head() > 0 ? ask.head() : Long.MAX_VALUE;
    if (grant != null) {
      cells.heard(grant.slices());
      lowest = grant.capacity();
      for (Supply.Slice slice : grant.slices()) {
        stored.merge(slice.cell(), slice.amount(), Long::sum);
        more.add(new Tally.Counted(slice.cell(), slice.amount()));
        denied = slice.amount() < denied ? denied : Long.MAX_VALUE;
      }
    }
    Supplied supplied = new Supplied(lowest, denied, ends);
    limit.granted(more, supplied, cell -> cells.span(cell, clock, ends, now));
  }

  /** Adds what it is granted of its part while it is cut off: the store knows nothing of it. */
  void grantedAlone(List<Supply.Slice> slices, CellClock clock, long ends, long now) {
    List<Tally.Counted> more = new ArrayList<>();
    cells.heard(slices);
    slices.forEach(slice -> more.add(new Tally.Counted(slice.cell(), slice.amount())));
    Supplied supplied = new Supplied(lowest, Long.MAX_VALUE, 0);
    limit.granted(more, supplied, cell -> cells.span(cell, clock, ends, now));
  }

  /** Whether those who wait are to look again. */
  boolean suffices(long now) {
    long least = demand.least();
    return least > 0 && !limit.lacks(least, now);
  }
}
