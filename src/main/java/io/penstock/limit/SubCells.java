package io.penstock.limit;

/** Division of a window into sub-cells, within which charges need not be distinguished. */
final class SubCells {
  /** Number of sub-cells of a window. */
  static final int COUNT = 60;

  private SubCells() {}

  /** Returns the length of a sub-cell in the unit of the window's length, rounded up. */
  static long length(long window) {
    return Math.ceilDiv(window, COUNT);
  }
}
