package io.penstock.cli;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A table of plain text whose columns are as wide as their widest cell. */
final class PlainTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();
  private final Set<String> figures;

  /**
   * Creates a table without rows.
   *
   * @param heads the titles of the columns
   * @param figures titles of the columns that are aligned to the right
   */
  PlainTable(List<String> heads, Set<String> figures) {
    this.figures = figures;
    rows.add(heads);
  }

  /** Adds a row with a cell for each column. */
  void add(List<String> row) {
    rows.add(row);
  }

  void print(PrintWriter out) {
    List<String> heads = rows.getFirst();
    int[] widths = new int[heads.size()];
    for (List<String> row : rows) {
      for (int at = 0; at < widths.length; at++) {
        widths[at] = Math.max(widths[at], TerminalCells.width(row.get(at)));
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int at = 0; at < widths.length; at++) {
        String space = " ".repeat(widths[at] - TerminalCells.width(row.get(at)));
        boolean figure = figures.contains(heads.get(at));
        line.append(figure ? space + row.get(at) : row.get(at) + space).append(GAP);
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
