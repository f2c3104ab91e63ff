package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.StartedGateway;
import io.penstock.suite.Hostile;
import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperatorIT {
  /** Routes of permits, with one a minute at the second path. */
  static final String PERMITS =
      """
      endpoints:
        - path: /b
        - path: /a
          rate: 1
          unit: rpm
      """;

  static final String PROBLEM = "application/problem+json";

  @TempDir private static Path directory;
  private static StartedGateway gateway;

  @BeforeAll
  static void start() {
    gateway = StartedGateway.start(directory, PERMITS);
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @Test
  void endpoints_areListedByPathWithWhatWaits() throws Exception {
    assertThat(gateway.gateway("GET /a?tokens=3")).startsWith("HTTP/1.1 200");
    try (Socket waits = StartedGateway.open(gateway.port(), "GET /a?tokens=7")) {
      await()
          .untilAsserted(
              () ->
                  assertThat(gateway.operator("GET /endpoints?path=/a"))
                      .startsWith("HTTP/1.1 200")
                      .contains("\"queue_depth\":1,\"queued_tokens\":7,\"queued_bytes\":0")
                      .containsPattern("\"oldest_wait_ms\":[1-9]")
                      .contains("\"utilization\":1.0,\"paused\":false,\"served\":1")
                      .doesNotContain("\"/b\""));
      assertThat(waits.isConnected()).isTrue();
    }
    await()
        .untilAsserted(
            () ->
                assertThat(gateway.operator("GET /endpoints"))
                    .contains("Content-Type: application/json")
                    .containsPattern("\\[\\{\"path\":\"/a\",\"dynamic\":false.*\"path\":\"/b\"")
                    .contains(
                        "\"oldest_wait_ms\":0",
                        "\"cancelled\":1,\"state\":{\"what\":\"open\"",
                        "\"ignored_parameters\":{},\"config\":{\"path\":"));
  }

  @ParameterizedTest
  @CsvSource({
    "GET /endpoints?path=/none, 404",
    "GET /nothing, 404",
    "POST /, 404",
    "POST /console, 405",
    "GET /console/none.js, 404",
    "GET /console/lib/none.js, 404",
    "POST /live, 405",
    "GET /endpoints/a, 404",
    "GET /actuator/nothing, 404",
    "GET /actuator/env, 404",
    "POST /endpoints, 405",
    "DELETE /config, 405",
    "POST /events, 405",
    "GET /reload, 405",
    "POST /actuator/health, 405"
  })
  void wrongRequests_areProblems(String request, int status) {
    assertThat(gateway.operator(request))
        .startsWith("HTTP/1.1 " + status)
        .contains("Content-Type: " + PROBLEM)
        .contains("\"status\":" + status);
  }

  @Test
  void errorOfTheActuator_isAProblemWhateverTheClientAccepts() {
    assertThat(gateway.operator("GET /actuator/prometheus", "Accept: image/png"))
        .startsWith("HTTP/1.1 406")
        .contains("Content-Type: " + PROBLEM, "\"status\":406");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void gatewayPort_servesNothingOfTheOperators() {
    for (String path :
        new String[] {"/endpoints", "/events", "/config", "/actuator/health", "/actuator"}) {
      assertThat(gateway.gateway("GET " + path))
          .startsWith("HTTP/1.1 404")
          .contains("x-penstock-reason: no_endpoint");
    }
    assertThat(gateway.gateway("POST /reload", "Content-Length: 0")).contains("no_endpoint");
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void otherNamesOfLoopback_areRefused() {
    for (String host : new String[] {"localhost", "LOCALHOST:1", "[::1]:8081", "127.0.0.1"}) {
      assertThat(gateway.operator("GET /config", "Host: " + host)).startsWith("HTTP/1.1 200");
    }
    for (String host : new String[] {"evil.example", "127.0.0.1.evil.example:8081", ""}) {
      assertThat(gateway.operator("GET /config", "Host: " + host))
          .startsWith("HTTP/1.1 421")
          .contains(PROBLEM);
      assertThat(gateway.operator("GET /actuator/prometheus", "Host: " + host))
          .startsWith("HTTP/1.1 421");
    }
    assertThat(gateway.operator("POST /reload", "Origin: http://evil.example"))
        .startsWith("HTTP/1.1 403");
  }
}
