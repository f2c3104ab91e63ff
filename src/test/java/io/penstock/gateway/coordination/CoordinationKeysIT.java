package io.penstock.gateway.coordination;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.coordination.MemoryCoordination;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests which clients may use the coordination API, and when it is enabled. */
class CoordinationKeysIT {
  private static final String ENABLED = "--penstock.coordination.enabled=true";
  private static final String ACQUIRE = "GET /v1/semaphore/s/acquire?key=hold";

  @TempDir private Path directory;

  @Test
  void keyIsOneInAHeader_andAHoldInTheQuery() {
    String routes =
        """
        keys:
          - {name: all, sha256: ALL}
          - {name: some, sha256: SOME, allowed_endpoints: [/a, /v1/counter]}
        endpoints: [{path: /a}]
        """
            .replace("ALL", KeySecrets.sha256("sk-all"))
            .replace("SOME", KeySecrets.sha256("sk-some"));
    try (StartedGateway gateway = StartedGateway.start(directory, routes, ENABLED)) {
      assertThat(gateway.gateway("GET /v1/semaphore/s/acquire?key=sk-all"))
          .startsWith("HTTP/1.1 401");
      assertThat(gateway.gateway("GET /.well-known/ready")).startsWith("HTTP/1.1 401");
      assertThat(gateway.gateway(ACQUIRE, "Authorization: Bearer sk-all"))
          .startsWith("HTTP/1.1 200")
          .endsWith("hold");
      assertThat(gateway.gateway(ACQUIRE, "x-api-key: sk-some")).startsWith("HTTP/1.1 403");
      assertThat(gateway.gateway("GET /counter/c/count", "x-api-key: sk-some"))
          .startsWith("HTTP/1.1 403");
      assertThat(gateway.gateway("GET /v1/counter/c/count", "x-penstock-key: sk-some"))
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void unlessItIsEnabled_thereIsNone() {
    try (StartedGateway gateway = StartedGateway.start(directory, "endpoints: [{path: /a}]")) {
      assertThat(gateway.gateway(ACQUIRE)).startsWith("HTTP/1.1 404").contains("no_endpoint");
    }
  }

  @Test
  void soManyMayWait() throws Exception {
    try (StartedGateway gateway =
            StartedGateway.start(
                directory,
                "endpoints: [{path: /a}]",
                ENABLED,
                "--penstock.coordination.max-waiters=1");
        var waits = StartedGateway.open(gateway.port(), "GET /event/e/wait")) {
      MemoryCoordination coordination = gateway.context().getBean(MemoryCoordination.class);
      RunningGateway.awaiting().until(() -> coordination.waiting() == 1);
      assertThat(gateway.gateway("GET /event/f/wait"))
          .startsWith("HTTP/1.1 429")
          .contains("x-penstock-reason: queue_full", "Retry-After: 1");
      assertThat(gateway.operator("GET /actuator/prometheus"))
          .contains("penstock_coordination_waiters 1.0", "penstock_coordination_objects 2.0")
          .containsPattern("penstock_coordination_bytes \\d+\\.0");
      assertThat(gateway.gateway("GET /event/e/send?message=m")).startsWith("HTTP/1.1 204");
      assertThat(new String(waits.getInputStream().readAllBytes(), UTF_8))
          .startsWith("HTTP/1.1 200")
          .endsWith("m");
    }
  }

  @Test
  void endpointThatWouldCoverIt_isNotStarted() {
    Path routes = StartedGateway.write(directory, "endpoints:\n  - path: /v1\n");
    assertThat(GatewayServer.start(Map.of(), routes, "--server.port=0", ENABLED))
        .isInstanceOfSatisfying(
            GatewayServer.Faulty.class,
            faulty ->
                assertThat(faulty.faults())
                    .singleElement()
                    .asString()
                    .contains("routes.yaml:2:11: path '/v1' covers '/v1/tokenbucket'"));
  }
}
