package io.penstock.metrics;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MetricsScrape;
import io.penstock.fake.PromQl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** Tests that the dashboard and the alerts ask for metrics that exist. */
class DashboardAlertsIT {
  private static final Path DASHBOARD = Path.of("k8s", "dashboards", "penstock.json");
  private static final Path ALERTS = Path.of("k8s", "alerts", "penstock.yaml");
  private static final Path RUNBOOK = Path.of("k8s", "README.md");
  private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
  private static final Pattern LABEL = Pattern.compile("\\$labels\\.(\\w+)");
  private static final Pattern VARIABLE = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");
  private static final ObjectMapper JSON = JsonMapper.shared();

  /**
   * An alert.
   *
   * @param text everything that people are told
   */
  private record Alert(
      String name, String expression, String severity, String runbook, List<String> text) {
    static Alert of(Map<String, Object> rule) {
      assertThat(rule.keySet())
          .isSubsetOf("alert", "expr", "for", "labels", "annotations")
          .contains("alert", "expr", "labels", "annotations");
      Map<String, String> annotations = DashboardAlertsIT.at(rule, "annotations");
      assertThat(annotations).containsOnlyKeys("summary", "description", "runbook_url");
      return new Alert(
          DashboardAlertsIT.at(rule, "alert"),
          DashboardAlertsIT.at(rule, "expr"),
          DashboardAlertsIT.at(
              DashboardAlertsIT.<Map<String, Object>>at(rule, "labels"), "severity"),
          DashboardAlertsIT.at(annotations, "runbook_url"),
          List.of(
              DashboardAlertsIT.at(annotations, "summary"),
              DashboardAlertsIT.at(annotations, "description")));
    }
  }

  @TempDir private Path directory;

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T> T at(Map<String, ?> map, String key) {
    return (T) Objects.requireNonNull(map.get(key), key);
  }

  private static List<Alert> alerts() throws IOException {
    Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
    Map<String, Object> file = yaml.load(Files.readString(ALERTS));
    assertThat(file).containsOnlyKeys("groups");
    List<Alert> alerts = new ArrayList<>();
    for (Map<String, Object> group :
        DashboardAlertsIT.<List<Map<String, Object>>>at(file, "groups")) {
      assertThat(group).containsOnlyKeys("name", "rules");
      for (Map<String, Object> rule :
          DashboardAlertsIT.<List<Map<String, Object>>>at(group, "rules")) {
        alerts.add(Alert.of(rule));
      }
    }
    return alerts;
  }

  private static List<JsonNode> targets() throws IOException {
    List<JsonNode> targets = new ArrayList<>();
    for (JsonNode panel : JSON.readTree(Files.readString(DASHBOARD)).get("panels")) {
      panel.path("targets").forEach(targets::add);
    }
    return targets;
  }

  private static Set<String> named(Pattern pattern, String text) {
    Set<String> names = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  /** Returns the faults of an expression, and of the labels that are shown from its result. */
  private static List<String> faults(
      MetricsScrape metricsScrape, String expression, Function<PromQl, Set<String>> shown) {
    PromQl asked = PromQl.of(expression);
    List<String> faults = new ArrayList<>(asked.faults(metricsScrape));
    Set<String> has = new TreeSet<>(asked.grouped());
    if (has.isEmpty()) {
      asked.metrics().forEach(each -> has.addAll(metricsScrape.labels(each.metric())));
      has.add("instance");
    }
    for (String label : shown.apply(asked)) {
      if (!has.contains(label)) {
        faults.add("shows " + label + ", which is not there: " + expression);
      }
    }
    return faults;
  }

  private static List<String> faults(MetricsScrape metricsScrape) throws IOException {
    List<String> faults = new ArrayList<>();
    for (Alert alert : alerts()) {
      String text = String.join(" ", alert.text());
      faults.addAll(faults(metricsScrape, alert.expression(), asked -> named(LABEL, text)));
    }
    for (JsonNode target : targets()) {
      String legend = target.get("legendFormat").asString();
      faults.addAll(
          faults(metricsScrape, target.get("expr").asString(), asked -> named(LEGEND, legend)));
    }
    Matcher variable = VARIABLE.matcher(Files.readString(DASHBOARD));
    while (variable.find()) {
      if (!metricsScrape.labels(variable.group(1)).contains(variable.group(2))) {
        faults.add("no variable " + variable.group());
      }
    }
    return faults;
  }

  @Test
  void whatDashboardAndAlertsName_isScraped() throws Exception {
    assertThat(targets()).hasSizeGreaterThan(30);
    assertThat(alerts()).hasSizeGreaterThan(10);
    try (EventfulGateway gateway = new EventfulGateway(directory)) {
      await().untilAsserted(() -> assertThat(faults(gateway.scrape())).isEmpty());
    }
  }

  @Test
  void eachAlert_saysWhatToDo_andHasItsPlaceInTheRunbook() throws Exception {
    List<String> headings =
        Files.readAllLines(RUNBOOK).stream().filter(line -> line.startsWith("### ")).toList();
    assertThat(headings)
        .containsExactlyElementsOf(alerts().stream().map(alert -> "### " + alert.name()).toList());
    for (Alert alert : alerts()) {
      assertThat(alert.severity()).isIn("info", "warning", "critical");
      assertThat(alert.runbook())
          .isEqualTo("k8s/README.md#" + alert.name().toLowerCase(Locale.ROOT));
      assertThat(alert.text()).allSatisfy(each -> assertThat(each).isNotBlank());
    }
  }
}
