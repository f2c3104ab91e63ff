package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what operators are told of the sharing of exact limits. */
class SharingHandlerIT {
  private static final String ROUTES =
      """
      endpoints:
        - path: /a
          algorithm: token_window
          tokens_per_window: 100
          window_seconds: 10
      """;

  private static final String LIMIT = "limit:endpoint:%2Fa#tokens:10000";

  @TempDir private Path directory;

  private static String sharing(StartedGateway gateway, String query) throws IOException {
    return gateway.operator("GET /sharing" + query);
  }

  @Test
  void instancesAndTheirShares_areListed_alsoOfOneThatLeft() throws Exception {
    try (RedisServer redis = RedisServer.started();
        StartedGateway here = StartedGateway.sharing(directory.resolve("here"), ROUTES, redis)) {
      try (StartedGateway there =
          StartedGateway.sharing(directory.resolve("there"), ROUTES, redis)) {
        await()
            .untilAsserted(
                () ->
                    assertThat(sharing(here, ""))
                        .contains("\"settled\":true", "\"listed\":true", "\"cut_off\":false")
                        .containsPattern("\"life\":\"living\".*\"life\":\"living\""));
        assertThat(there.gateway("GET /a?tokens=5")).startsWith("HTTP/1.1 200");
      }
      await().untilAsserted(() -> assertThat(sharing(here, "")).contains("\"life\":\"left\""));
      assertThat(here.gateway("GET /a?tokens=7")).startsWith("HTTP/1.1 200");
      assertThat(sharing(here, "")).contains("\"limits\":1", "\"holding\":1");
      String limit = LIMIT.replace("%", "%25").replace("#", "%23");
      assertThat(sharing(here, "?limit=" + limit))
          .contains("\"limit\":\"" + LIMIT + "\"", "\"capacity\":100", "\"of_dead\":{");
      assertThat(sharing(here, "?limit=none")).startsWith("HTTP/1.1 404").contains("'none'");
    }
  }

  @Test
  void instanceAlone_sharesNothing() throws Exception {
    try (StartedGateway alone = StartedGateway.start(directory, ROUTES)) {
      assertThat(sharing(alone, "")).startsWith("HTTP/1.1 200").endsWith("[]\n");
    }
  }
}
