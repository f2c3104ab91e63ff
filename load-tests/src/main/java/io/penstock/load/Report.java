package io.penstock.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a scenario came to.
 *
 * @param title what was run, where and when
 * @param table for people; it ends with a line's end
 * @param details for programs: all that was measured
 * @param good whether all was measured that could be, and nothing failed; goals may be missed
 */
record Report(
    String title, String table, List<Figure> figures, Map<String, Object> details, boolean good) {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private static final int WIDEST = 72;

  /** Returns all of it as JSON. */
  String json() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("scenario", title);
    all.put("good", good);
    List<Map<String, String>> lines = new ArrayList<>();
    for (Figure each : figures) {
      Map<String, String> line = new LinkedHashMap<>();
      line.put("figure", each.what());
      line.put("against", each.against());
      line.put("goal", each.goal());
      line.put("measured", each.measured());
      line.put("verdict", each.verdict().name());
      lines.add(line);
    }
    all.put("figures", lines);
    all.put("details", details);
    all.put("table", table);
    return JSON.writeValueAsString(all);
  }

  /** Returns what {@link #json} wrote. */
  static Report parse(String json) {
    JsonNode all = JSON.readTree(json);
    List<Figure> figures = new ArrayList<>();
    for (JsonNode line : all.required("figures")) {
      figures.add(
          new Figure(
              line.required("figure").asString(),
              line.required("against").asString(),
              line.required("goal").asString(),
              line.required("measured").asString(),
              Figure.Verdict.valueOf(line.required("verdict").asString())));
    }
    Map<String, Object> details = new LinkedHashMap<>();
    all.required("details").forEachEntry(details::put);
    return new Report(
        all.required("scenario").asString(),
        all.required("table").asString(),
        figures,
        details,
        all.required("good").asBoolean());
  }

  /** Writes it where its scenario's name says. */
  void write(Path directory, String scenario) throws IOException {
    Files.createDirectories(directory);
    Files.writeString(directory.resolve(scenario + ".json"), json());
  }

  /** Returns whether no goal is missed of those that were measured. */
  boolean met() {
    return figures.stream().noneMatch(each -> each.verdict() == Figure.Verdict.NOT_MET);
  }

  /** Returns it for people: the table, and what was promised. */
  String text() {
    return "\n" + title + "\n" + table + (figures.isEmpty() ? "" : "\n" + lines(figures));
  }

  /** Returns a line for each figure. */
  static String lines(List<Figure> figures) {
    int what = width(figures.stream().map(Figure::what).toList(), "figure");
    int against = width(figures.stream().map(Figure::against).toList(), "against");
    int goal = width(figures.stream().map(Figure::goal).toList(), "goal");
    String line = "%-" + what + "s  %-" + against + "s  %-" + goal + "s  %-8s  %s%n";
    StringBuilder text = new StringBuilder();
    text.append(line.formatted("figure", "against", "goal", "", "measured"));
    for (Figure each : figures) {
      text.append(
          line.formatted(
              each.what(), each.against(), each.goal(), each.verdict(), each.measured()));
    }
    return text.toString();
  }

  private static int width(List<String> words, String head) {
    int widest = words.stream().mapToInt(String::length).max().orElse(0);
    return Math.min(WIDEST, Math.max(widest, head.length()));
  }
}
