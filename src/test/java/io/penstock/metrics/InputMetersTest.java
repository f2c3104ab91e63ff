package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.penstock.cost.TokenUsage;
import io.penstock.fake.MetricsScrape;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class InputMetersTest {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final List<TokenUsage> passedOn = new ArrayList<>();
  private final InputMeters meters =
      new InputMeters(registry, (key, group, model, used) -> passedOn.add(used));

  private double tokens(String key, String model, String cache) {
    return MetricsScrape.parse(registry.scrape())
        .sum("penstock_input_tokens_total", Map.of("key", key, "model", model, "cache", cache));
  }

  @Test
  void input_isCountedByKeyModelAndCache_andPassedOn() {
    TokenUsage used = new TokenUsage(100, 50, 30, 20, 7, 0);
    meters.add("k", "g", "m", used);
    meters.add("k", "g", "m", new TokenUsage(5, 0, 1));
    meters.add(null, null, null, new TokenUsage(3, 0, 1));
    assertThat(tokens("k", "m", "none")).isEqualTo(25);
    assertThat(tokens("k", "m", "read")).isEqualTo(50);
    assertThat(tokens("k", "m", "write")).isEqualTo(10);
    assertThat(tokens("k", "m", "write_1h")).isEqualTo(20);
    assertThat(tokens("anonymous", "none", "none")).isEqualTo(3);
    assertThat(passedOn).hasSize(3).first().isEqualTo(used);
  }

  @Test
  void moreKeysAndModels_areCountedUnderOther_andTheScrapeIsBounded() {
    String tail = "\"é\\".repeat(30);
    for (int i = 0; i < 2_000; i++) {
      meters.add("k" + i + tail, null, "m" + i % 300 + tail, new TokenUsage(4, 1, 2, 1, 0, 0));
    }
    MetricsScrape scrape = MetricsScrape.parse(registry.scrape());
    assertThat(scrape.sum("penstock_input_tokens_total", Map.of())).isEqualTo(8_000);
    assertThat(scrape.text().getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(32 * 1_024);
  }
}
