package io.penstock.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.penstock.fake.GoldenRecords;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;

/**
 * Compares the objects in the chart with records: without any values, and with combinations that
 * cover every switch.
 */
@Tag(GoldenRecords.TAG)
class ChartGoldenTest {
  private static final Map<String, List<String>> COMBINATIONS = combinations();
  private static final String RANDOM = "<random>";
  private static final Map<String, String> SHIPPED = shipped();
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir static Path directory;

  private static HelmChart helmChart;

  @BeforeAll
  static void copy() {
    helmChart = new HelmChart(directory, "{}");
  }

  private static Map<String, List<String>> combinations() {
    Map<String, List<String>> all = new LinkedHashMap<>();
    all.put("defaults", List.of("none"));
    all.put(
        "bundled-redis",
        List.of(
            "redis-password",
            "redis-namespace",
            "redis-volatile",
            "coordination",
            "keys-open",
            "nodeport",
            "openshift",
            "one"));
    all.put(
        "values",
        List.of(
            "redis-url",
            "coordination-redis-url",
            "database-url",
            "token",
            "routes",
            "first-key-secret",
            "providers",
            "autoscaling",
            "ingress",
            "servicemonitor",
            "prometheusrule",
            "dashboard",
            "budget-percent",
            "policy-clients",
            "loadbalancer",
            "account",
            "pod"));
    all.put(
        "secrets",
        List.of(
            "redis-secret",
            "coordination-redis-secret",
            "keys-sql",
            "token-secret",
            "routes-configmap",
            "providers-secret",
            "keda",
            "httproute",
            "httproute-rules",
            "account-of-others",
            "recreate",
            "no-spread",
            "no-prestop"));
    all.put(
        "bare",
        List.of("redis-none", "no-first-key", "ingress-host", "no-budget", "no-policy", "objects"));
    return all;
  }

  static Set<String> names() {
    return COMBINATIONS.keySet();
  }

  @ParameterizedTest
  @MethodSource("names")
  void objects_areThoseRecorded(String name) throws Exception {
    GoldenRecords.check(
        "chart/" + name + ".yaml", text(helmChart, COMBINATIONS.getOrDefault(name, List.of())));
  }

  private static String text(HelmChart of, List<String> switches) throws Exception {
    JsonNode values = JsonNodeFactory.instance.objectNode();
    for (String each : switches) {
      values = HelmChart.merged(values, ChartSwitches.values(each, each));
    }
    // random values differ each time
    List<JsonNode> once = sorted(of.render(values));
    List<JsonNode> again = sorted(of.render(values));
    assertThat(again).hasSameSizeAs(once);
    List<Object> objects = new ArrayList<>();
    for (int at = 0; at < once.size(); at++) {
      objects.add(plain(steady(once.get(at), again.get(at))));
    }
    DumperOptions options = new DumperOptions();
    options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
    options.setDefaultScalarStyle(DumperOptions.ScalarStyle.PLAIN);
    options.setWidth(200);
    return unversioned(new Yaml(options).dumpAll(objects.iterator()));
  }

  /** Replaces the versions, so that a release does not change the records. */
  private static String unversioned(String objects) throws IOException {
    JsonNode facts = HelmChart.yaml(Files.readString(HelmChart.SOURCE.resolve("Chart.yaml")));
    return objects
        .replace(facts.path("appVersion").asText(), "<app-version>")
        .replace("penstock-" + facts.path("version").asText(), "penstock-<version>");
  }

  private static List<JsonNode> sorted(List<KubernetesObject> objects) {
    return objects.stream()
        .sorted(Comparator.comparing(KubernetesObject::toString))
        .map(KubernetesObject::root)
        .toList();
  }

  private static JsonNode steady(JsonNode once, JsonNode again) {
    if (once instanceof ObjectNode object) {
      ObjectNode steady = JsonNodeFactory.instance.objectNode();
      object
          .properties()
          .forEach(
              each ->
                  steady.set(each.getKey(), steady(each.getValue(), again.path(each.getKey()))));
      return steady;
    }
    if (once instanceof ArrayNode array) {
      ArrayNode steady = JsonNodeFactory.instance.arrayNode();
      for (int at = 0; at < array.size(); at++) {
        steady.add(steady(array.get(at), again.path(at)));
      }
      return steady;
    }
    if (!once.equals(again)) {
      return JsonNodeFactory.instance.textNode(RANDOM);
    }
    String file = SHIPPED.get(once.asText().strip());
    return file == null ? once : JsonNodeFactory.instance.textNode(file);
  }

  /** Returns the names of files that the chart includes unchanged, by their text. */
  private static Map<String, String> shipped() {
    Path files = HelmChart.SOURCE.resolve("files");
    try (Stream<Path> all = Files.walk(files, FileVisitOption.FOLLOW_LINKS)) {
      Map<String, String> shipped = new HashMap<>();
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        shipped.put(Files.readString(file).strip(), "<" + files.relativize(file) + ">");
      }
      return shipped;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sorts fields by name, because their order has no meaning for Kubernetes. */
  private static Object plain(JsonNode node) {
    if (node instanceof ObjectNode object) {
      Map<String, Object> sorted = new TreeMap<>();
      object.properties().forEach(each -> sorted.put(each.getKey(), plain(each.getValue())));
      return sorted;
    }
    if (node instanceof ArrayNode array) {
      return KubernetesObject.each(array).stream()
          .map(ChartGoldenTest::plain)
          .collect(Collectors.toList());
    }
    return JSON.convertValue(node, Object.class);
  }

  @Test
  void combinations_turnEverySwitch() {
    Set<String> turned = new TreeSet<>();
    COMBINATIONS.values().forEach(turned::addAll);
    assertThat(turned).containsExactlyInAnyOrderElementsOf(ChartSwitches.names());
  }
}
