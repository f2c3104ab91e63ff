package io.penstock.limit;

import java.util.List;

/**
 * Counts of other regions, and of other instances of this region, for a limit that regions share:
 * by cell, floor(Unix time ÷ duration). Immutable.
 *
 * @param windowNanos the duration of the limit, and of its cells, ≥ 1 ms
 * @param shift what to add to an instant for Unix nanoseconds
 * @param fades whether a cell still counts in the next one, less and less
 * @param cells what is known of each cell; the others have nothing
 * @param denialListener called when the limit is the first here to deny in a cell
 */
public record RegionCounts(
    long windowNanos,
    long shift,
    boolean fades,
    List<CellCounts> cells,
    DenialListener denialListener) {
  /** Listener for denials. Must neither block nor throw. */
  @FunctionalInterface
  public interface DenialListener {
    /**
     * Called when a limit is the first here to deny in a cell.
     *
     * @param limit the capacity of the limit
     */
    void denied(long cell, long limit);
  }

  /**
   * The counts of one cell.
   *
   * @param cell floor(Unix time ÷ duration)
   * @param restOfRegion the count of this region without this limit object: by other instances, or
   *     by this one before it was restarted
   * @param otherRegions the count of all other regions
   * @param deniedAmount the least amount that was used, as a region reported when it denied; 0 when
   *     none did
   */
  public record CellCounts(long cell, long restOfRegion, long otherRegions, long deniedAmount) {
    private static CellCounts none(long cell) {
      return new CellCounts(cell, 0, 0, 0);
    }

    /** Returns whether another region reported anything. */
    boolean ofOthers() {
      return otherRegions > 0 || deniedAmount > 0;
    }

    /** Returns what all counted if the limit itself counted {@code own} of it. */
    long counted(long own) {
      return AmountBound.sum(AmountBound.sum(own, restOfRegion), otherRegions);
    }

    /** Returns what was used if the limit itself counted {@code own} of it. */
    long with(long own) {
      return Math.max(counted(own), deniedAmount);
    }
  }

  public RegionCounts {
    cells = List.copyOf(cells);
  }

  /**
   * Creates the counts of a limit with that spec. A calendar day no longer counts after its cell.
   */
  public static RegionCounts of(
      LimitSpec spec,
      long windowNanos,
      long shift,
      List<CellCounts> cells,
      DenialListener denials) {
    boolean fades = !(spec instanceof LimitSpec.Day day && day.midnight() != null);
    return new RegionCounts(windowNanos, shift, fades, cells, denials);
  }

  long cell(long now) {
    return Math.floorDiv(now + shift, windowNanos);
  }

  long start(long cell) {
    return cell * windowNanos - shift;
  }

  CellCounts cellCounts(long cell) {
    for (CellCounts each : cells) {
      if (each.cell() == cell) {
        return each;
      }
    }
    return CellCounts.none(cell);
  }
}
