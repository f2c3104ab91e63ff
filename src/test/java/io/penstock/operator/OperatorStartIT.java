package io.penstock.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.endpoint.EndpointRegistry;
import io.penstock.fake.StartedGateway;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

class OperatorStartIT {
  private static final String PERMITS = OperatorIT.PERMITS;
  private static final String PROBLEM = OperatorIT.PROBLEM;

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void unknownOperatorPath_neverReachesAnUpstream(boolean chosenPort) {
    AtomicInteger asked = new AtomicInteger();
    DisposableServer upstream =
        HttpServer.create()
            .host("127.0.0.1")
            .handle(
                (request, response) -> {
                  asked.incrementAndGet();
                  return response.sendString(Mono.just("from upstream"));
                })
            .bindNow();
    String routes =
        """
        endpoints:
          - path: /
            upstreams:
              - id: u
                url: http://127.0.0.1:%d
        """
            .formatted(upstream.port());
    int operatorPort = chosenPort ? StartedGateway.freePort() : 0;
    try (StartedGateway gateway = StartedGateway.startOn(operatorPort, directory, routes)) {
      assertThat(gateway.gateway("GET /v1/models")).contains("from upstream");
      assertThat(asked).hasValue(1);
      for (String path : new String[] {"/v1/models", "/x", "/actuator/x", "/endpoints/x", "//"}) {
        assertThat(gateway.operator("GET " + path)).startsWith("HTTP/1.1 404").contains(PROBLEM);
        assertThat(gateway.operator("POST " + path, "Content-Length: 0"))
            .startsWith("HTTP/1.1 404");
      }
      assertThat(gateway.operator("GET /")).startsWith("HTTP/1.1 303").contains("/console");
      assertThat(asked).hasValue(1);
    } finally {
      upstream.disposeNow();
    }
  }

  @Test
  void token_isAskedForOnLoopbackTooOnceItIsSet() {
    try (StartedGateway gateway =
        StartedGateway.start(directory, PERMITS, "--penstock.operator.token=s3cret")) {
      for (String path : new String[] {"/endpoints", "/events", "/actuator/prometheus", "/x"}) {
        assertThat(gateway.operator("GET " + path))
            .startsWith("HTTP/1.1 401")
            .contains("WWW-Authenticate: Bearer", PROBLEM);
      }
      assertThat(gateway.operator("GET /config", "Authorization: Bearer s3cres"))
          .startsWith("HTTP/1.1 401");
      assertThat(gateway.operator("GET /config", "Authorization: bearer s3cret"))
          .startsWith("HTTP/1.1 200");
      assertThat(gateway.operator("GET /actuator/health/liveness")).startsWith("HTTP/1.1 200");
      assertThat(gateway.operator("GET /actuator/health/readiness")).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void otherAddress_startsWithATokenOnly() throws Exception {
    String everywhere = "--management.server.address=0.0.0.0";
    Path routes = StartedGateway.write(directory, PERMITS);
    String port = "--management.server.port=" + StartedGateway.freePort();
    for (String address : new String[] {everywhere, "--management.server.address="}) {
      assertThat(GatewayServer.start(Map.of(), routes, "--server.port=0", port, address))
          .isInstanceOfSatisfying(
              GatewayServer.Unsafe.class,
              unsafe -> assertThat(unsafe.why()).contains("penstock.operator.token"));
    }
    assertThat(
            GatewayServer.start(Map.of(), routes, "--server.port=18090", port, "--server.address="))
        .isInstanceOf(GatewayServer.Unsafe.class);
    try (StartedGateway gateway =
        StartedGateway.start(directory, PERMITS, everywhere, "--penstock.operator.token=t")) {
      assertThat(gateway.operator("GET /endpoints")).startsWith("HTTP/1.1 401");
      String named = "Host: " + InetAddress.getLoopbackAddress().getHostName() + ".example";
      assertThat(gateway.operator("GET /endpoints", named, "Authorization: Bearer t"))
          .startsWith("HTTP/1.1 200");
      assertThat(gateway.operator("GET /actuator/health", named)).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void operatorPortThatIsTheGateways_isRefused() {
    Path routes = StartedGateway.write(directory, PERMITS);
    int port = StartedGateway.freePort();
    assertThat(
            GatewayServer.start(
                Map.of(), routes, "--server.port=" + port, "--management.server.port=" + port))
        .isInstanceOf(GatewayServer.Unsafe.class);
  }

  @Test
  void reload_appliesGoodRoutesAndSaysWhatIsWrongWithOthers() {
    try (StartedGateway gateway = StartedGateway.start(directory, PERMITS)) {
      StartedGateway.write(directory, PERMITS + "  - path: /c\n");
      assertThat(gateway.operator("POST /reload", "Content-Length: 0"))
          .startsWith("HTTP/1.1 200")
          .contains("{\"applied\":true,\"endpoints\":3,\"warnings\":[]}");
      assertThat(gateway.operator("GET /config"))
          .containsPattern("\\{\"endpoints\":\\[.*\"path\":\"/c\"");
      StartedGateway.write(directory, PERMITS + "    rat: 1\n");
      assertThat(gateway.operator("POST /reload", "Content-Length: 0"))
          .startsWith("HTTP/1.1 422")
          .contains(PROBLEM, "\"faults\":[{\"file\":", "\"line\":6,\"column\":5,\"message\":");
      assertThat(gateway.operator("GET /config")).contains("\"path\":\"/c\"");
      assertThat(gateway.context().getBean(EndpointRegistry.class).all()).hasSize(3);
    }
  }
}
