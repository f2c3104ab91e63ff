package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SyncMetersTest {
  private record Counted(long answered, long answeredNanos, Map<String, Long> errors)
      implements SyncMeters.Way {}

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private Counted counted = new Counted(0, 0, Map.of());

  @Test
  void whatIsShared_isShownByTheNamesOfTheContract() {
    SyncMeters.add(registry, "shares", () -> counted, Set.of("away", "refused"));
    counted = new Counted(4, 6_000_000_000L, Map.of("away", 3L));
    assertThat(registry.scrape().lines())
        .contains(
            "penstock_sync_seconds_count{what=\"shares\"} 4",
            "penstock_sync_seconds_sum{what=\"shares\"} 6.0",
            "penstock_sync_errors_total{kind=\"away\",what=\"shares\"} 3.0",
            "penstock_sync_errors_total{kind=\"refused\",what=\"shares\"} 0.0");
  }
}
