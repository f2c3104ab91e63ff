package io.penstock.metrics;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MetricsScrape;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the names of metrics that dashboards and alerts use, as the contract states them. */
class MetricNamesIT {
  /**
   * A metric of the contract.
   *
   * @param name of the metric
   * @param line name of one of its lines, which has a suffix in histograms
   */
  private record Asked(String name, String type, String line, Set<String> labels) {
    static Asked of(String name, String type, String... labels) {
      return new Asked(name, type, name, Set.of(labels));
    }

    static Asked histogram(String name, String... labels) {
      Set<String> all = new TreeSet<>(List.of(labels));
      all.add("le");
      return new Asked(name, "histogram", name + "_bucket", all);
    }
  }

  private static final String OPERATION = "gen_ai_operation_name";
  private static final String PROVIDER = "gen_ai_provider_name";
  private static final String MODEL = "gen_ai_request_model";

  private static final List<Asked> CONTRACT =
      List.of(
          Asked.of("penstock_tickets_total", "counter", "endpoint", "outcome", "reason"),
          Asked.of("penstock_queue_depth", "gauge", "endpoint"),
          Asked.of("penstock_queue_tokens", "gauge", "endpoint"),
          Asked.of("penstock_queue_bytes", "gauge", "endpoint"),
          Asked.histogram("penstock_wait_seconds", "endpoint"),
          Asked.of("penstock_tokens_total", "counter", "endpoint", "upstream", "model", "kind"),
          Asked.of("penstock_overrun_tokens_total", "counter", "endpoint", "upstream", "model"),
          Asked.histogram("penstock_estimate_error_ratio", "model"),
          Asked.of("penstock_utilization", "gauge", "upstream", "model", "scope"),
          Asked.of("penstock_upstream_throttled_total", "counter", "upstream", "model"),
          new Asked(
              "penstock_sync_seconds", "summary", "penstock_sync_seconds_sum", Set.of("what")),
          Asked.of("penstock_sync_errors_total", "counter", "what", "kind"),
          Asked.of("penstock_shares_members", "gauge"),
          Asked.of("penstock_events_dropped_total", "counter"),
          Asked.of("penstock_config_reloads_total", "counter", "result"),
          Asked.histogram(
              "gen_ai_client_token_usage", OPERATION, PROVIDER, MODEL, "gen_ai_token_type"),
          Asked.histogram(
              "gen_ai_client_operation_duration_seconds",
              OPERATION,
              PROVIDER,
              MODEL,
              "error_type"));

  @TempDir private Path directory;

  @Test
  void contract_isWhatIsScraped() throws Exception {
    try (EventfulGateway gateway = new EventfulGateway(directory)) {
      for (Asked asked : CONTRACT) {
        await().untilAsserted(() -> assertIs(gateway.scrape(), asked));
      }
      assertValues(gateway.scrape());
      assertBoundaries(gateway.scrape());
    }
  }

  private static void assertIs(MetricsScrape metricsScrape, Asked asked) {
    assertThat(metricsScrape.types()).as(asked.name()).containsEntry(asked.name(), asked.type());
    assertThat(metricsScrape.labels(asked.line())).as(asked.name()).isEqualTo(asked.labels());
  }

  private static void assertValues(MetricsScrape metricsScrape) {
    assertThat(metricsScrape.values("penstock_tokens_total", "kind"))
        .containsExactly("debt", "refunded", "reserved", "used");
    assertThat(metricsScrape.values("penstock_utilization", "scope"))
        .containsExactly("global", "local");
    assertThat(metricsScrape.values("penstock_config_reloads_total", "result"))
        .containsExactly("applied", "refused");
    assertThat(metricsScrape.values("penstock_tickets_total", "outcome"))
        .contains("served", "refused", "shadowed");
    assertThat(metricsScrape.values("penstock_tickets_total", "reason"))
        .contains("none", "bad_request", "queue_full", "upstream_unreachable");
    assertThat(metricsScrape.sum("penstock_upstream_throttled_total", Map.of())).isPositive();
    String duration = "gen_ai_client_operation_duration_seconds_count";
    assertThat(metricsScrape.values(duration, PROVIDER))
        .containsExactly("anthropic", "gcp.gemini", "openai");
    assertThat(metricsScrape.values(duration, OPERATION))
        .containsExactly("chat", "embeddings", "generate_content");
    assertThat(metricsScrape.values(duration, MODEL)).containsExactly("claude", "g", "m");
    assertThat(metricsScrape.values(duration, "error_type"))
        .containsExactly("", "429", "upstream_unreachable");
    assertThat(metricsScrape.values("gen_ai_client_token_usage_count", "gen_ai_token_type"))
        .containsExactly("input", "output");
  }

  private static void assertBoundaries(MetricsScrape metricsScrape) {
    assertThat(bounds(metricsScrape, "gen_ai_client_token_usage_bucket"))
        .containsExactly(
            1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216,
            67108864);
    assertThat(bounds(metricsScrape, "gen_ai_client_operation_duration_seconds_bucket"))
        .containsExactly(
            0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92);
  }

  private static double[] bounds(MetricsScrape metricsScrape, String name) {
    return metricsScrape.values(name, "le").stream()
        .filter(each -> !each.equals("+Inf"))
        .mapToDouble(Double::parseDouble)
        .sorted()
        .toArray();
  }
}
