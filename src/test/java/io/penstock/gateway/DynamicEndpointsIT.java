package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RawUpstream;
import io.penstock.fake.StartedGateway;
import io.penstock.suite.Hostile;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DynamicEndpointsIT {
  private static final String ROUTES =
      """
      defaults:
        max_dynamic_endpoints: 3
      endpoints:
        - path: /permit
          rate: 1
          unit: rpm
        - path: /up
          dynamic: true
          upstreams:
            - id: one
              url: URL
      """;

  private static final RawUpstream UPSTREAM =
      RawUpstream.start(
          RawUpstream.answering(
              "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"));

  @TempDir private static Path directory;
  private static StartedGateway gateway;

  /** Creates as many endpoints as are allowed. */
  @BeforeAll
  static void start() {
    gateway = StartedGateway.start(directory, ROUTES.replace("URL", UPSTREAM.url()));
    for (String path : new String[] {"/permit", "/permit/a", "/permit/b"}) {
      assertThat(gateway.gateway("GET " + path))
          .startsWith("HTTP/1.1 200")
          .contains("\"endpoint\":\"" + path + "\"");
    }
    assertThat(gateway.gateway("GET /up/v1/files")).contains("x-penstock-endpoint: /up/v1/files");
  }

  @AfterAll
  static void stop() {
    gateway.close();
    UPSTREAM.close();
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void eachHasItsOwnLimit_andWhoeverComesBeyondTheBoundHasTheAncestors() {
    assertThat(gateway.gateway("GET //permit//%61/?timeout=0.5"))
        .startsWith("HTTP/1.1 429")
        .contains("x-penstock-endpoint: /permit/a\r\n");
    assertThat(gateway.gateway("GET /permit/c?timeout=0.5"))
        .startsWith("HTTP/1.1 429")
        .contains("x-penstock-endpoint: /permit\r\n");
  }

  @Test
  void configuredPartOfThePath_isWhatIsRemoved() throws InterruptedException {
    assertThat(UPSTREAM.received().target()).isEqualTo("/v1/files");
  }

  @Test
  void dynamicEndpoint_isShownAsIfConfigured() {
    assertThat(gateway.operator("GET /endpoints?path=/permit/a"))
        .contains("\"path\":\"/permit/a\",\"dynamic\":true")
        .contains("\"served\":1,")
        .containsPattern("\"config\":\\{[^}]*\"path\":\"/permit/a\"")
        .containsPattern("\"config\":\\{[^}]*\"dynamic\":true")
        .containsPattern("\"config\":\\{[^}]*\"rate\":1");
    assertThat(gateway.operator("GET /endpoints?path=/permit")).contains("\"dynamic\":false");
    assertThat(gateway.operator("GET /config")).doesNotContain("/permit/a");
  }
}
