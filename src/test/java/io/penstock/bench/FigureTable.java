package io.penstock.bench;

import java.util.ArrayList;
import java.util.List;

/** Table of requirements and measured values. */
final class FigureTable {
  private record Row(String asked, String measured, boolean met) {}

  private final List<Row> rows = new ArrayList<>();

  /** Adds a row. */
  void add(String asked, boolean met, String measured) {
    rows.add(new Row(asked, measured, met));
  }

  @Override
  public String toString() {
    int width = rows.stream().mapToInt(row -> row.asked().length()).max().orElse(5);
    StringBuilder text = new StringBuilder();
    text.append("asked").append(" ".repeat(width - 5)).append(" | measured\n");
    text.append("-".repeat(width)).append("-|-").append("-".repeat(width)).append('\n');
    for (Row row : rows) {
      text.append(row.asked()).append(" ".repeat(width - row.asked().length()));
      text.append(" | ").append(row.met() ? "" : "NOT MET: ").append(row.measured()).append('\n');
    }
    return text.toString();
  }
}
