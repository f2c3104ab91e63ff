package io.penstock.metrics;

import static io.penstock.metrics.Metered.endpoint;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.ModelOperation;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.endpoint.ShortParameter;
import io.penstock.event.Event;
import io.penstock.fake.MetricsScrape;
import io.penstock.provider.ProviderProtocol;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The size of a scrape is bounded, whatever is configured and whatever happens. */
class ScrapeSizeTest {
  /** 2 MiB, less the meters that are not Penstock's: JVM, servers, logs. */
  private static final int MOST = (2_048 - 64) * 1_024;

  private static final List<String> IGNORED =
      Stream.of(ShortParameter.values()).map(ShortParameter::text).toList();

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Metered metered = new Metered();

  private static void servedAndRefused(
      GatewayMeters gatewayMeters, EndpointSpec spec, String model) {
    String path = spec.path();
    String upstream = spec.upstreams().getFirst().id();
    Cost cost = new Cost(3, 4, 4);
    gatewayMeters.publish(new Event.Queued(0, path, 1, cost));
    gatewayMeters.publish(new Event.Released(0, path, 1, upstream, model, cost, 1_234_567_890L));
    gatewayMeters.publish(new Event.Settled(0, path, 1, upstream, model, 7, 9, 2));
    gatewayMeters.publish(new Event.Served(0, path, 1));
    gatewayMeters.publish(
        new Event.Refused(0, path, 2, Refusal.of(RefusalReason.QUEUE_FULL, "no")));
    gatewayMeters.publish(new Event.Estimated(0, path, model, 3, 4));
    gatewayMeters.publish(new Event.ParametersIgnored(0, path, IGNORED));
    gatewayMeters.publish(called(path, upstream, model, DialectTable.OPENAI, null));
    gatewayMeters.publish(began(path, upstream, model, DialectTable.OPENAI));
  }

  private static Event began(String path, String upstream, String model, Dialect dialect) {
    return new Event.FirstOutput(0, path, upstream, model, dialect, ModelOperation.CHAT, 1_000_000);
  }

  private static Event called(
      String path, String upstream, String model, Dialect dialect, @Nullable String error) {
    TokenUsage usage = new TokenUsage(3, 0, 4);
    return new Event.Called(
        0, path, upstream, model, dialect, ModelOperation.CHAT, 1_000_000, usage, error);
  }

  private MetricsScrape scrape() {
    return MetricsScrape.parse(registry.scrape());
  }

  private static int bytes(MetricsScrape metricsScrape) {
    return metricsScrape.text().getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void aThousandEndpoints_haveTheirOwnCounters_withinTwoMebibytes() {
    List<EndpointSpec> specs =
        IntStream.range(0, 1_000).mapToObj(i -> endpoint("/team/" + i, "up-" + i % 10)).toList();
    GatewayMeters gatewayMeters = metered.meters(registry, specs);
    specs.forEach(spec -> servedAndRefused(gatewayMeters, spec, "gpt-4o-mini"));
    MetricsScrape metricsScrape = scrape();
    assertThat(bytes(metricsScrape)).isLessThan(MOST);
    List<String> paths = specs.stream().map(EndpointSpec::path).toList();
    assertThat(metricsScrape.values("penstock_tickets_total", "endpoint")).containsAll(paths);
    assertThat(metricsScrape.values("penstock_queue_depth", "endpoint")).containsAll(paths);
    assertThat(metricsScrape.values("penstock_tokens_total", "endpoint")).containsAll(paths);
    assertThat(metricsScrape.values("penstock_wait_seconds_count", "endpoint"))
        .contains("/team/0", "/team/400", "other");
    assertThat(metricsScrape.sum("penstock_wait_seconds_count", Map.of())).isEqualTo(1_000);
    assertThat(metricsScrape.values("penstock_parameters_ignored_total", "endpoint"))
        .contains("/team/0", "other");
    assertThat(metricsScrape.values("penstock_parameters_ignored_total", "parameter"))
        .containsExactlyInAnyOrderElementsOf(IGNORED);
    assertThat(metricsScrape.sum("penstock_parameters_ignored_total", Map.of()))
        .isEqualTo(1_000 * 6);
  }

  @Test
  void moreOfEverything_isCountedUnderOther_withinTwoMebibytes() {
    String tail = "/\"é\\".repeat(60);
    List<EndpointSpec> specs =
        IntStream.range(0, 2_000)
            .mapToObj(i -> endpoint("/team/" + i + tail, "up-" + i + tail))
            .toList();
    GatewayMeters gatewayMeters = metered.meters(registry, specs);
    for (int each = 0; each < specs.size(); each++) {
      EndpointSpec spec = specs.get(each);
      servedAndRefused(gatewayMeters, spec, "model-" + each % 200 + tail);
      for (RefusalReason reason : RefusalReason.values()) {
        gatewayMeters.publish(new Event.Refused(0, spec.path(), 2, Refusal.of(reason, "no")));
      }
      for (ProviderProtocol dialect : DialectTable.ALL) {
        String error = String.valueOf(400 + each % 200);
        gatewayMeters.publish(
            called(spec.path(), "u", "model-" + each % 200 + tail, dialect, error));
        gatewayMeters.publish(
            began(spec.path(), "u" + each % 200, "model-" + each % 200 + tail, dialect));
      }
    }
    MetricsScrape metricsScrape = scrape();
    assertThat(bytes(metricsScrape)).isLessThan(MOST);
    int refusals = 1 + RefusalReason.values().length;
    assertThat(metricsScrape.sum("penstock_tickets_total", Map.of("outcome", "refused")))
        .as("nothing is lost")
        .isEqualTo(2_000 * refusals);
    assertThat(metricsScrape.sum("penstock_tokens_total", Map.of("kind", "used")))
        .isEqualTo(2_000 * 9);
    assertThat(metricsScrape.sum("penstock_wait_seconds_count", Map.of())).isEqualTo(2_000);
    assertThat(metricsScrape.sum("penstock_estimate_error_ratio_count", Map.of())).isEqualTo(2_000);
    assertThat(metricsScrape.sum("penstock_parameters_ignored_total", Map.of()))
        .isEqualTo(2_000 * 6);
    assertThat(metricsScrape.sum("gen_ai_client_operation_duration_seconds_count", Map.of()))
        .isEqualTo(2_000 * DialectTable.ALL.size());
    assertThat(
            metricsScrape.sum(
                "gen_ai_client_operation_time_to_first_chunk_seconds_count", Map.of()))
        .isEqualTo(2_000 * DialectTable.ALL.size());
  }

  @Test
  void endpointsThatAreConfiguredNoMore_makeRoom() {
    GatewayMeters gatewayMeters = metered.meters(registry, List.of());
    for (int round = 0; round < 5; round++) {
      String prefix = "/round-" + round + "/";
      List<EndpointSpec> specs =
          IntStream.range(0, 800).mapToObj(i -> endpoint(prefix + i, "up")).toList();
      metered.endpoints.apply(specs);
      gatewayMeters.publish(new Event.Reloaded(0, true, "800 endpoints"));
      specs.forEach(spec -> servedAndRefused(gatewayMeters, spec, "m"));
    }
    assertThat(scrape().values("penstock_tokens_total", "endpoint"))
        .hasSize(800)
        .allMatch(path -> path.startsWith("/round-4/"));
    assertThat(scrape().values("penstock_parameters_ignored_total", "endpoint"))
        .contains("/round-4/0");
  }
}
