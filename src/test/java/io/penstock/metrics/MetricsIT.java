package io.penstock.metrics;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsIT {
  private static final String ROUTES =
      """
      endpoints:
        - path: /demo
          dialect: openai
          upstreams:
            - id: up
              url: mock://openai?tokens=4
              rpm_limit: 1200
              models: {alias: real, m: m}
        - path: /slow
          rate: 1
          unit: rpm
      """;

  @TempDir private Path directory;

  private static String scrape(StartedGateway gateway) {
    return gateway.operator("GET /actuator/prometheus");
  }

  /**
   * Returns a chat request with 5 tokens of input: one for the two letters, four for the message.
   * The mock answers with 4.
   */
  private static String ask(String model) {
    return "{\"model\":\"%s\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
        .formatted(model);
  }

  private static void chat(StartedGateway gateway, String body) throws Exception {
    try (Socket socket =
        StartedGateway.open(
            gateway.port(), "POST /demo/v1/chat/completions", "Content-Length: " + body.length())) {
      socket.getOutputStream().write(body.getBytes(StandardCharsets.UTF_8));
      socket.getInputStream().readAllBytes();
    }
  }

  @Test
  void requests_showInWhatIsScraped() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      chat(gateway, ask("alias"));
      chat(gateway, "{\"model\":");
      gateway.gateway("GET /slow?tokens=2");
      try (Socket waits = StartedGateway.open(gateway.port(), "GET /slow?tokens=5")) {
        await()
            .untilAsserted(
                () ->
                    assertThat(scrape(gateway))
                        .contains("penstock_queue_depth{endpoint=\"/slow\"} 1.0")
                        .contains("penstock_queue_tokens{endpoint=\"/slow\"} 5.0")
                        .contains("penstock_queue_bytes{endpoint=\"/slow\"} 0.0"));
        assertThat(waits.isConnected()).isTrue();
      }
      String demo = "endpoint=\"/demo\",";
      await()
          .untilAsserted(
              () ->
                  assertThat(scrape(gateway))
                      .contains(
                          "_tickets_total{" + demo + "outcome=\"served\",reason=\"none\"} 1.0")
                      .contains("outcome=\"refused\",reason=\"bad_request\"} 1.0")
                      .contains("{endpoint=\"/slow\",outcome=\"cancelled\",reason=\"none\"} 1.0")
                      .contains(
                          "{" + demo + "kind=\"reserved\",model=\"alias\",upstream=\"up\"} 14.0")
                      .contains("{" + demo + "kind=\"used\",model=\"alias\",upstream=\"up\"} 9.0")
                      .contains("_overrun_tokens_total{" + demo + "model=\"alias\"")
                      .containsPattern("_utilization\\{model=\"real\",.*upstream=\"up\"} [1-9]")
                      .contains("penstock_wait_seconds_bucket{endpoint=\"/slow\",le=\"0.1\"} 1")
                      .contains("penstock_events_dropped_total 0.0")
                      .as("no label is what a client wrote in its URL")
                      .doesNotContain("chat/completions", "tokens=2"));
    }
  }

  @Test
  void reload_isCountedAndRemovesMetersOfWhatIsGone() throws Exception {
    try (StartedGateway gateway = StartedGateway.start(directory, ROUTES)) {
      chat(gateway, ask("m"));
      await()
          .untilAsserted(
              () ->
                  assertThat(scrape(gateway))
                      .contains("penstock_config_reloads_total{result=\"applied\"} 0.0")
                      .contains("endpoint=\"/demo\"", "upstream=\"up\""));
      StartedGateway.write(directory, "endpoints:\n  - path: /other\n");
      assertThat(gateway.operator("POST /reload", "Content-Length: 0")).contains("200 OK");
      assertThat(scrape(gateway))
          .containsPattern("penstock_config_reloads_total\\{result=\"applied\"} [1-9]")
          .contains("penstock_queue_depth{endpoint=\"/other\"} 0.0")
          .doesNotContain("\"/demo\"", "\"/slow\"", "upstream=\"up\"");
      StartedGateway.write(directory, "endpoints:\n  - pat: /other\n");
      assertThat(gateway.operator("POST /reload", "Content-Length: 0")).contains("422");
      assertThat(scrape(gateway))
          .containsPattern("penstock_config_reloads_total\\{result=\"refused\"} [1-9]");
    }
  }
}
