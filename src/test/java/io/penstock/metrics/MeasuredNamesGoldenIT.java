package io.penstock.metrics;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.GoldenRecords;
import io.penstock.fake.MariaDb;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.TraceCollector;
import io.penstock.suite.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the names of metrics and traces with records: for metrics also the type, the help, the
 * labels and the values of those labels that only the program chooses.
 */
@Tag(GoldenRecords.TAG)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MeasuredNamesGoldenIT {
  /** Metrics of this program; those of other libraries depend on the machine. */
  private static final Pattern OURS = Pattern.compile("# HELP ((?:penstock|gen_ai)_\\w+) ?(.*)");

  private static final Pattern SUFFIX = Pattern.compile("_(?:bucket|count|sum|max|created)$");
  private static final Pattern BUILT = Pattern.compile("builder\\(\\s*\"(penstock\\.[a-z.]+)\"");
  private static final Pattern NAMED = Pattern.compile("\"(penstock\\.[a-z.]+)\"");

  /** Number of requests that {@link EventfulGateway} sends and that end. */
  private static final int ENDED = 14;

  private static final int SERVER = 2;

  /**
   * Labels with values that all exist from the start, and do not come from clients or route files.
   */
  private static final Set<String> CHOSEN =
      Set.of("kind", "scope", "result", "what", "gen_ai_token_type");

  private final TraceCollector collector = TraceCollector.start();
  private EventfulGateway gateway;

  @BeforeAll
  void start(@TempDir Path directory) throws IOException {
    gateway =
        new EventfulGateway(
            directory,
            "--penstock.region.name=east",
            "--penstock.database.url=" + MariaDb.url(MariaDb.database(), MariaDb.port()),
            "--penstock.coordination.enabled=true",
            "--management.tracing.sampling.probability=1",
            "--management.opentelemetry.tracing.export.otlp.endpoint="
                + collector.url()
                + "/v1/traces");
  }

  @AfterAll
  void stop() throws IOException {
    gateway.close();
    collector.close();
  }

  /** Returns a line for each metric, sorted. */
  private static String described(MetricsScrape metricsScrape) {
    Map<String, String> lines = new TreeMap<>();
    for (String line : metricsScrape.text().lines().toList()) {
      var help = OURS.matcher(line);
      if (help.matches()) {
        String name = help.group(1);
        lines.put(
            name, name + " " + metricsScrape.types().get(name) + "\n  " + help.group(2) + "\n");
      }
    }
    Map<String, Map<String, Set<String>>> labels = new TreeMap<>();
    for (MetricsScrape.Sample sample : metricsScrape.samples()) {
      String name = lines.containsKey(sample.name()) ? sample.name() : family(sample.name());
      if (lines.containsKey(name)) {
        sample
            .labels()
            .forEach(
                (label, value) ->
                    labels
                        .computeIfAbsent(name, none -> new TreeMap<>())
                        .computeIfAbsent(label, none -> new TreeSet<>())
                        .add(value));
      }
    }
    StringBuilder record = new StringBuilder();
    lines.forEach(
        (name, line) -> {
          record.append(line);
          labels
              .getOrDefault(name, Map.of())
              .forEach((label, values) -> record.append(shown(label, values)));
        });
    return record.toString();
  }

  private static String family(String sample) {
    return SUFFIX.matcher(sample).replaceFirst("");
  }

  private static String shown(String label, Set<String> values) {
    return "  " + label + (CHOSEN.contains(label) ? ": " + String.join(", ", values) : "") + "\n";
  }

  /** Returns the names of the meters that the program creates, as they are scraped. */
  private static Set<String> made() throws IOException {
    Set<String> names = new TreeSet<>();
    for (Path file : SourceTree.PROJECT.javaFiles(Path.of("src", "main", "java"))) {
      boolean measures = file.toString().contains("/metrics/");
      (measures ? NAMED : BUILT)
          .matcher(Files.readString(file))
          .results()
          .forEach(found -> names.add(found.group(1).replaceAll("\\W", "_")));
    }
    return names;
  }

  @Test
  void metrics_areThoseRecorded_andNoneIsMissing() throws IOException {
    Set<String> made = made();
    assertThat(made).hasSizeGreaterThan(20);
    await()
        .untilAsserted(
            () ->
                assertThat(made)
                    .allSatisfy(
                        name ->
                            assertThat(gateway.scrape().types().keySet())
                                .anyMatch(scraped -> scraped.startsWith(name))));
    GoldenRecords.check("metrics/metrics.txt", described(gateway.scrape()));
  }

  @Test
  void firstOutput_isMeasuredOfTheOneStream_andOfNoOtherCall() {
    String name = "gen_ai_client_operation_time_to_first_chunk_seconds_count";
    assertThat(gateway.scrape().sum(name, Map.of("upstream", "up", "gen_ai_request_model", "m")))
        .isEqualTo(1);
    assertThat(gateway.scrape().sum(name, Map.of())).isEqualTo(1);
  }

  private static String described(List<TraceCollector.Span> spans) {
    Map<String, Set<String>> names = new TreeMap<>();
    for (TraceCollector.Span span : spans) {
      names
          .computeIfAbsent(span.name() + ", kind " + span.kind(), none -> new TreeSet<>())
          .addAll(span.attributes().keySet());
    }
    StringBuilder record = new StringBuilder();
    names.forEach(
        (name, attributes) -> {
          record.append(name).append('\n');
          attributes.forEach(attribute -> record.append("  ").append(attribute).append('\n'));
        });
    return record.toString();
  }

  private List<TraceCollector.Span> served() {
    return collector.spans().stream().filter(span -> span.kind() == SERVER).toList();
  }

  @Test
  void spans_areThoseRecorded() {
    await().untilAsserted(() -> assertThat(served()).hasSizeGreaterThanOrEqualTo(ENDED));
    GoldenRecords.check("metrics/spans.txt", described(collector.spans()));
  }
}
