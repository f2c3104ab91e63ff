package io.penstock.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.penstock.fake.GoldenRecords;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the chart's page of values with the comments and defaults in {@code values.yaml}. */
@Tag(GoldenRecords.TAG)
class ChartReadmeTest {
  private static final String HEAD =
      """
      # Values of the chart

      All values, with their defaults. [Penstock on Kubernetes](../README.md) says how to install \
      the chart. `mvn verify -Pgolden` makes this page from `values.yaml`.
      """;

  private static final Pattern KEY = Pattern.compile("( *)(\\w+):(?: (.+))?");
  private static final Pattern COMMENT = Pattern.compile(" *# ?(-- )?(.*)");

  @Test
  void readme_isWhatTheValuesSay() throws Exception {
    GoldenRecords.check("../../../k8s/penstock/README.md", page(values()));
  }

  private static String values() throws IOException {
    return Files.readString(HelmChart.SOURCE.resolve("values.yaml"));
  }

  /** Renders a table for each section; sections begin with comments that begin with "--". */
  private static String page(String values) {
    StringBuilder page = new StringBuilder(HEAD);
    JsonNode defaults = HelmChart.yaml(values);
    List<String> path = new ArrayList<>();
    List<String> comment = new ArrayList<>();
    boolean section = false;
    for (String line : values.lines().toList()) {
      Matcher said = COMMENT.matcher(line);
      Matcher key = KEY.matcher(line);
      if (section && !said.matches()) {
        page.append("\n").append(String.join(" ", comment)).append("\n\n");
        page.append("| value | default | meaning |\n|---|---|---|\n");
        comment.clear();
        section = false;
      }
      if (said.matches()) {
        section |= said.group(1) != null;
        comment.add(said.group(2).strip());
      } else if (key.matches()) {
        path.subList(key.group(1).length() / 2, path.size()).clear();
        path.add(key.group(2));
        JsonNode value = defaults.at("/" + String.join("/", path));
        if (!value.isObject() || key.group(3) != null || !comment.isEmpty()) {
          boolean below = value.isObject() && key.group(3) == null;
          page.append(row(String.join(".", path), below ? "" : shown(value), comment));
        }
        comment.clear();
      } else if (line.isBlank()) {
        comment.clear(); // about the file
      }
    }
    return page.toString();
  }

  private static String row(String name, String value, List<String> meaning) {
    return "| `%s` | %s | %s |\n"
        .formatted(name, value, String.join(" ", meaning).replace("|", "\\|"));
  }

  private static String shown(JsonNode value) {
    String text = value.isTextual() ? value.asText() : value.toString();
    return text.isEmpty() || text.equals("[]") || text.equals("{}") ? "" : "`" + text + "`";
  }

  @Test
  void page_hasEveryValue() throws Exception {
    String page = page(values());
    assertThat(HelmChart.yaml(values()).fieldNames())
        .toIterable()
        .hasSizeGreaterThan(50)
        .allMatch(name -> page.contains("| `" + name + "` |") || page.contains("`" + name + "."));
  }
}
