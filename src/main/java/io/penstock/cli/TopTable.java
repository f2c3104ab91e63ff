package io.penstock.cli;

import io.penstock.config.FigureText;
import io.penstock.config.LimitText;
import java.io.PrintWriter;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Endpoints as a table for scripts, with full names, plain figures and no colours. */
final class TopTable {
  private static final String NONE = "-";
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
          "LIMIT",
          "DETAIL");

  private static final Set<String> FIGURES = Set.copyOf(HEADS.subList(0, HEADS.indexOf("STATE")));

  private TopTable() {}

  static void print(JsonNode endpoints, TerminalStyle terminalStyle, PrintWriter out) {
    PlainTable table = new PlainTable(HEADS, FIGURES);
    for (JsonNode each : endpoints) {
      table.add(row(each, terminalStyle));
    }
    table.print(out);
  }

  private static List<String> row(JsonNode of, TerminalStyle terminalStyle) {
    WatchedEndpoint endpoint = new WatchedEndpoint(of.path("path").asString(""), of);
    return List.of(
        figure(of, "queue_depth"),
        figure(of, "oldest_wait_ms"),
        figure(of, "served"),
        figure(of, "refused"),
        figure(of, "expired"),
        figure(of, "cancelled"),
        FigureText.percent(of.path("utilization").asDouble(0)),
        endpoint.state(),
        word(endpoint.path(), terminalStyle),
        word(LimitText.of(of.path("config")), terminalStyle),
        word(endpoint.trouble(ZoneOffset.UTC), terminalStyle));
  }

  /** Returns a text as one word, so that scripts can split the columns. */
  private static String word(String text, TerminalStyle terminalStyle) {
    return text.isEmpty() ? NONE : terminalStyle.harmless(text, MOST_NAME).replace(' ', '_');
  }

  private static String figure(JsonNode of, String name) {
    return Long.toString(of.path(name).asLong(0));
  }
}
