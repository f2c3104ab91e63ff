package io.penstock.limit;

import java.util.List;

/**
 * What is counted of a limit apart from what it counts itself, when regions share it: by cells,
 * floor(Unix time ÷ duration). Immutable.
 *
 * @param windowNanos the duration of the limit, and of its cells, ≥ 1 ms
 * @param shift what to add to an instant for Unix nanoseconds
 * @param fades whether a cell still counts in the next one, less and less
 * @param cells what is known of each; those that are not here have nothing
 * @param denials told when the limit is the first here to say no in a cell
 */
public record Abroad(
    long windowNanos, long shift, boolean fades, List<Words> cells, Denials denials) {
  /** Told of denials. Must neither block nor throw. */
  @FunctionalInterface
  public interface Denials {
    /** Nobody is told. */
    Denials NOBODY = (cell, limit) -> {};

    /**
     * A limit was the first here to say no in a cell.
     *
     * @param limit what it allows
     */
    void denied(long cell, long limit);
  }

  /**
   * What is known of a cell.
   *
   * @param cell floor(Unix time ÷ duration)
   * @param beside what this region counted and this limit did not: other instances, or the same one
   *     before it was started anew
   * @param foreign what all other regions counted
   * @param floor so much was used at least, as a region said that denied it; 0 when none did
   */
  public record Words(long cell, long beside, long foreign, long floor) {
    private static Words none(long cell) {
      return new Words(cell, 0, 0, 0);
    }

    /** Returns whether another region said anything. */
    boolean ofOthers() {
      return foreign > 0 || floor > 0;
    }

    /** What all counted if so much of it was counted by the limit itself. */
    long counted(long own) {
      return State.sum(State.sum(own, beside), foreign);
    }

    /** What was used if so much of it was counted by the limit itself. */
    long with(long own) {
      return Math.max(counted(own), floor);
    }
  }

  public Abroad {
    cells = List.copyOf(cells);
  }

  /** Of a limit of that kind; a day of the calendar ends with its cell. */
  public static Abroad of(
      LimitSpec spec, long windowNanos, long shift, List<Words> cells, Denials denials) {
    boolean fades = !(spec instanceof LimitSpec.Day day && day.midnight() != null);
    return new Abroad(windowNanos, shift, fades, cells, denials);
  }

  long cell(long now) {
    return Math.floorDiv(now + shift, windowNanos);
  }

  long start(long cell) {
    return cell * windowNanos - shift;
  }

  Words words(long cell) {
    for (Words each : cells) {
      if (each.cell() == cell) {
        return each;
      }
    }
    return Words.none(cell);
  }
}
