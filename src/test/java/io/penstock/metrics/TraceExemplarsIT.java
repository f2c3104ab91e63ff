package io.penstock.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RunningGateway;
import io.penstock.fake.StartedGateway;
import io.penstock.fake.TraceCollector;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that metrics of tickets name traces, if those are kept. */
class TraceExemplarsIT {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String TRACEPARENT = "traceparent: 00-" + TRACE + "-00f067aa0ba902b7-01";
  private static final String ROUTES =
      """
      endpoints:
        - {path: /paced, algorithm: strict, rate: 5, unit: rps}
      """;

  @TempDir private Path directory;

  @Test
  void ticketOfATrace_isAnExampleOfItsWait() {
    try (TraceCollector collector = TraceCollector.start();
        StartedGateway gateway =
            StartedGateway.start(
                directory,
                ROUTES,
                "--management.opentelemetry.tracing.export.otlp.endpoint="
                    + collector.url()
                    + "/v1/traces")) {
      RunningGateway.awaiting()
          .untilAsserted(
              () -> {
                // both requests belong to the trace: an exemplar of another trace would be kept for
                // seconds
                gateway.gateway("GET /paced", TRACEPARENT);
                gateway.gateway("GET /paced", TRACEPARENT);
                assertThat(
                        gateway.operator(
                            "GET /actuator/prometheus",
                            "Accept: application/openmetrics-text;version=1.0.0"))
                    .containsPattern(
                        "penstock_wait_seconds_bucket\\{endpoint=\"/paced\".*#"
                            + " \\{span_id=\"[0-9a-f]{16}\",trace_id=\""
                            + TRACE);
              });
    }
  }
}
