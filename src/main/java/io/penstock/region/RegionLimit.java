package io.penstock.region;

import io.penstock.limit.Limit;
import io.penstock.limit.RegionCounts;
import io.penstock.sharing.CountStore.Count;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.WriterCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Everything known about one limit that regions share, whether or not this instance has the limit
 * now. Guarded by {@link RegionSync}.
 */
final class RegionLimit {
  /** Everything known about one cell. */
  private static final class Cell {
    /** Amount counted in this region that is unknown to the local limit. */
    private long before;

    private long peers;
    private long foreign;
    private long floor;

    private long beside(boolean alone, long here) {
      return alone ? before : Math.max(peers, before - here);
    }

    private long own(boolean alone, long here) {
      return WriterCounts.sum(here, beside(alone, here));
    }
  }

  private final LimitId id;
  private final boolean alone;
  private final Map<Long, Cell> cells = new TreeMap<>();
  private final WriterCounts published;
  private @Nullable Limit limit;
  private @Nullable RegionCounts bound;

  /** First cell that may still count. */
  private long oldest = Long.MIN_VALUE;

  /**
   * Creates an entry without counts.
   *
   * @param alone whether this is the only instance of its region
   */
  RegionLimit(LimitId id, boolean alone) {
    this.id = id;
    this.alone = alone;
    this.published = new WriterCounts(id);
  }

  boolean has(Limit other) {
    return other.equals(limit);
  }

  boolean joined() {
    return limit != null;
  }

  void join(Limit next) {
    leave();
    limit = next;
    bound = null;
  }

  /**
   * Detaches the limit and keeps its counts, so that they are still known when it is created again.
   */
  void leave() {
    Limit left = limit;
    if (left == null) {
      return;
    }
    left.sharing()
        .localCounts()
        .forEach(
            (number, here) -> {
              Cell cell = cell(number);
              cell.before = alone ? WriterCounts.sum(cell.before, here) : cell.own(false, here);
            });
    left.sharing().unbindRegions();
    limit = null;
    bound = null;
  }

  private Cell cell(long number) {
    return cells.computeIfAbsent(number, none -> new Cell());
  }

  /**
   * Forgets cells before the given one, which no longer count; returns whether nothing is left to
   * remember.
   */
  boolean forget(long oldest) {
    this.oldest = oldest;
    cells.keySet().removeIf(number -> number < oldest);
    published.forget(oldest);
    return limit == null && cells.isEmpty();
  }

  /** Takes in an amount that this region had published before this instance started. */
  void restore(long cell, long amount) {
    Cell known = cell(cell);
    known.before = Math.max(known.before, amount);
    published.count(cell, amount);
    published.acknowledge(cell, amount);
  }

  /** Takes in amounts that the other instances of this region counted, by cell. */
  void setLocalPeers(Map<Long, Long> counted, long oldest) {
    counted.forEach(
        (number, amount) -> {
          if (number >= oldest) {
            Cell cell = cell(number);
            cell.peers = Math.max(cell.peers, amount);
          }
        });
  }

  /** Takes in the amount that all other regions counted. */
  void setOtherRegions(long cell, long amount) {
    Cell known = cell(cell);
    known.foreign = Math.max(known.foreign, amount);
  }

  /** Takes in the denial of another region: at least the given amount was used in the cell. */
  void recordDenial(long cell, long least) {
    Cell known = cell(cell);
    known.floor = Math.max(known.floor, least);
  }

  /**
   * Adds the counts that are due to be published.
   *
   * @param share of the limit; a cell is not published while all regions together used less than
   *     that in it and the cell before
   */
  void collectDue(double share, List<Count> own) {
    Map<Long, Long> counted = limit == null ? Map.of() : limit.sharing().localCounts();
    // An unused limit keeps its last cell for any length of time.
    counted.keySet().stream().filter(number -> number >= oldest).forEach(this::cell);
    double least = limit == null ? 0 : share * limit.capacity();
    long last = Long.MIN_VALUE;
    long before = 0;
    for (Map.Entry<Long, Cell> each : cells.entrySet()) {
      long number = each.getKey();
      Cell cell = each.getValue();
      long here = published.count(number, cell.own(alone, counted.getOrDefault(number, 0L)));
      long used = Math.max(WriterCounts.sum(here, cell.foreign), cell.floor);
      if (WriterCounts.sum(used, last == number - 1 ? before : 0) >= least) {
        published.addNew(number, own);
      }
      last = number;
      before = used;
    }
  }

  /** Records that an amount was published and acknowledged. */
  void acknowledge(long cell, long amount) {
    published.acknowledge(cell, amount);
  }

  /** Makes the limit leave room for everything that is known now. */
  void bind(long shift, RegionCounts.DenialListener denials, long now) {
    Limit bindable = limit;
    if (bindable == null) {
      return;
    }
    Map<Long, Long> counted = alone ? Map.of() : bindable.sharing().localCounts();
    List<RegionCounts.CellCounts> words = new ArrayList<>(cells.size());
    cells.forEach(
        (number, cell) -> {
          long beside = cell.beside(alone, counted.getOrDefault(number, 0L));
          words.add(new RegionCounts.CellCounts(number, beside, cell.foreign, cell.floor));
        });
    RegionCounts next = RegionCounts.of(bindable.spec(), id.durationNanos(), shift, words, denials);
    if (bound == null || !same(bound, next)) {
      bound = next;
      bindable.sharing().bindRegions(next, now);
    }
  }

  private static boolean same(RegionCounts known, RegionCounts next) {
    return known.shift() == next.shift() && known.cells().equals(next.cells());
  }
}
