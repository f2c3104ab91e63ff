package io.penstock.sync;

import io.penstock.limit.Tally;
import io.penstock.quota.Supply;
import java.util.TreeMap;

/**
 * What counts in the store of one limit and this member, by cell, as far as the last answer tells.
 * Belongs to one thread at a time.
 */
final class Stored {
  private final TreeMap<Long, Long> cells = new TreeMap<>();

  /** Whether the store may count anything else, in any cell. */
  private boolean unsure = true;

  /** What is known of the store is no more. */
  void doubt() {
    unsure = true;
  }

  boolean unsure() {
    return unsure;
  }

  /** It counts other cells from now on, of which nothing is known. */
  void clear() {
    cells.clear();
    unsure = true;
  }

  /** The first cell of which the store may have another number. */
  long firstOther(Tally tally, long oldest) {
    if (unsure) {
      return oldest;
    }
    for (Tally.Counted each : tally.counted()) {
      if (other(each)) {
        return each.cell();
      }
    }
    return Long.MAX_VALUE;
  }

  private boolean other(Tally.Counted counted) {
    return cells.getOrDefault(counted.cell(), 0L) != counted.amount();
  }

  /** Whether the store may have another number of a cell, {@code from} or later. */
  boolean differs(Tally tally, long from) {
    return unsure
        ? !cells.isEmpty() || tally.counted().stream().anyMatch(each -> each.amount() > 0)
        : tally.counted().stream().anyMatch(each -> each.cell() >= from && other(each));
  }

  /** Takes note that an ask was answered; cells before {@code oldest} count no more. */
  void told(Supply.Ask ask, long oldest) {
    cells.tailMap(ask.from(), true).clear();
    cells.headMap(oldest, false).clear();
    ask.uses().forEach(use -> cells.put(use.cell(), use.amount()));
    unsure = false;
  }

  void granted(Supply.Slice slice) {
    cells.merge(slice.cell(), slice.amount(), Long::sum);
  }
}
