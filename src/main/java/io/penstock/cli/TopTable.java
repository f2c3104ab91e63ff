package io.penstock.cli;

import io.penstock.config.FigureText;
import io.penstock.config.LimitText;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Endpoints as a table for scripts, with full names, plain figures and no colours. */
final class TopTable {
  private static final int MOST_NAME = 4_096;
  private static final List<String> HEADS =
      List.of(
          "WAITING",
          "OLDEST_MS",
          "SERVED",
          "REFUSED",
          "EXPIRED",
          "CANCELLED",
          "USE",
          "STATE",
          "ENDPOINT",
          "LIMIT");

  private TopTable() {}

  static void print(JsonNode endpoints, TerminalStyle terminalStyle, PrintWriter out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADS);
    for (JsonNode each : endpoints) {
      rows.add(row(each, terminalStyle));
    }
    int[] widths = new int[HEADS.size()];
    for (List<String> row : rows) {
      for (int at = 0; at < widths.length; at++) {
        widths[at] = Math.max(widths[at], TerminalCells.width(row.get(at)));
      }
    }
    for (List<String> row : rows) {
      out.println(line(row, widths));
    }
  }

  private static List<String> row(JsonNode of, TerminalStyle terminalStyle) {
    String limit = LimitText.of(of.path("config")).replace(' ', ',');
    return List.of(
        figure(of, "queue_depth"),
        figure(of, "oldest_wait_ms"),
        figure(of, "served"),
        figure(of, "refused"),
        figure(of, "expired"),
        figure(of, "cancelled"),
        FigureText.percent(of.path("utilization").asDouble(0)),
        of.path("paused").asBoolean(false) ? "paused" : "open",
        terminalStyle.harmless(of.path("path").asString(""), MOST_NAME).replace(' ', '_'),
        limit.isEmpty() ? "-" : terminalStyle.harmless(limit, MOST_NAME));
  }

  private static String figure(JsonNode of, String name) {
    return Long.toString(of.path(name).asLong(0));
  }

  /** Returns a row with figures aligned to the right and words to the left. */
  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int at = 0; at < widths.length; at++) {
      String space = " ".repeat(widths[at] - TerminalCells.width(row.get(at)));
      boolean words = at >= HEADS.indexOf("STATE");
      line.append(words ? row.get(at) + space : space + row.get(at)).append("  ");
    }
    return line.toString().stripTrailing();
  }
}
