package io.penstock.limit;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Amounts that an instance was granted of a shared limit, and spent, by cell, oldest first.
 * Immutable.
 *
 * @param all at most one a cell
 */
record GrantedCells(List<GrantedCell> all) implements Iterable<GrantedCell> {
  @Override
  public Iterator<GrantedCell> iterator() {
    return all.iterator();
  }

  /** Returns the last granted cell that may be spent at {@code now}, or null. */
  @Nullable GrantedCell running(long now) {
    for (int at = all.size() - 1; at >= 0; at--) {
      if (all.get(at).span().runs(now)) {
        return all.get(at);
      }
    }
    return null;
  }

  /**
   * Returns the first instant at which {@code amount} can be spent from one cell, or {@link
   * Ticker#NEVER}. After the store has lost a day and has begun another one, the spans of both can
   * overlap. The later one is spent first; the earlier one can be spent again once the span of the
   * later one has ended.
   *
   * @param held is subtracted from what is free in each cell
   * @param from the first instant that is of use, ≥ {@code now}
   */
  long opens(long amount, long held, long from, long now) {
    GrantedCell running = running(now);
    long first = Ticker.NEVER;
    for (GrantedCell each : all) {
      long begins =
          running != null && each.cell() < running.cell()
              ? running.span().untilNanos()
              : each.span().fromNanos();
      long instant = Math.max(from, begins);
      if (instant < each.span().untilNanos() && each.free(held) >= amount) {
        first = Math.min(first, instant);
      }
    }
    return first;
  }

  /**
   * Returns what may still be spent now; less than 0 when more was spent than granted.
   *
   * @param later whether amounts that may be spent later are of the same window
   */
  long unspent(boolean later, long held, long now) {
    long unspent = 0;
    long kept = 0;
    for (GrantedCell each : all) {
      if (each.span().runs(now)) {
        unspent += each.granted() - each.used();
        kept = held;
      } else if (later && each.span().fromNanos() > now && each.span().untilNanos() > now) {
        unspent += each.granted() - each.used();
      }
    }
    return unspent - kept;
  }

  /** Returns all that was granted in the cells that count. */
  long granted() {
    long granted = 0;
    for (GrantedCell each : all) {
      granted += each.granted();
    }
    return granted;
  }

  boolean has(long cell) {
    for (GrantedCell each : all) {
      if (each.cell() == cell) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns these with the entry of a cell changed, starting with an empty one if there is none.
   */
  GrantedCells with(long cell, UnaryOperator<GrantedCell> change) {
    List<GrantedCell> next = new ArrayList<>(all.size() + 1);
    next.addAll(all);
    int at = next.size();
    while (at > 0 && next.get(at - 1).cell() >= cell) {
      at--;
    }
    if (at == next.size() || next.get(at).cell() != cell) {
      next.add(at, GrantedCell.of(cell));
    }
    next.set(at, change.apply(next.get(at)));
    return new GrantedCells(next);
  }

  GrantedCells using(long cell, long amount) {
    return with(cell, grantedCell -> grantedCell.using(amount));
  }

  /**
   * Returns these with the entry of the unknown cell replaced: charges from before the first grant,
   * as far as they count, are put into their cells. A fixed window itself knows what its cell has
   * charged. Reserved output is spent in no cell.
   */
  GrantedCells before(LocalState alone, CellGrid grid, long now) {
    GrantedCells next = new GrantedCells(all.subList(1, all.size()));
    if (alone instanceof FixedWindowState) {
      return next;
    }
    long left = alone.balance(now).reserved();
    for (ChargedCell each : alone.cells(now).reversed()) {
      long charged = Math.max(0, each.amount() - left);
      left = Math.max(0, left - each.amount());
      if (charged > 0) {
        next = next.using(grid.cellAt(Math.min(now, each.atNanos())), charged);
      }
    }
    return next;
  }

  /** Returns these with the used amount of one cell moved to another cell. */
  GrantedCells moved(long from, long to) {
    if (from == to || all.isEmpty() || all.getFirst().cell() != from) {
      return this;
    }
    long used = all.getFirst().used();
    GrantedCells rest = new GrantedCells(all.subList(1, all.size()));
    return used > 0 ? rest.using(to, used) : rest;
  }

  /** Returns the entries from cell {@code oldest} on, and that of the unknown cell. */
  GrantedCells from(long oldest) {
    return new GrantedCells(
        all.stream()
            .filter(each -> each.cell() >= oldest || each.cell() == CellGrid.NONE)
            .toList());
  }

  GrantedCells each(UnaryOperator<GrantedCell> change) {
    return new GrantedCells(all.stream().map(change).toList());
  }
}
