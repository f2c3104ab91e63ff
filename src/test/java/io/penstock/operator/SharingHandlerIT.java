package io.penstock.operator;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  private static String forget(StartedGateway gateway, String query) {
    return gateway.operator("POST /sharing/forget" + query);
  }

  /** Returns the name of an instance with that life. */
  private static String named(StartedGateway gateway, String life) throws IOException {
    Matcher name =
        Pattern.compile("\"name\":\"([^\"]+)\",\"beat\":\\d+,\"life\":\"" + life + "\"")
            .matcher(sharing(gateway, ""));
    assertThat(name.find()).as(life).isTrue();
    return name.group(1);
  }

  @Test
  void instanceThatIsGone_isReleasedOnceItHasStopped_andThatIsAudited() throws Exception {
    try (RedisServer redis = RedisServer.started();
        StartedGateway here =
            StartedGateway.sharing(
                directory.resolve("here"), ROUTES, redis, "--penstock.redis.lease=3s")) {
      String other;
      try (StartedGateway there =
          StartedGateway.sharing(directory.resolve("there"), ROUTES, redis)) {
        await()
            .untilAsserted(
                () ->
                    assertThat(sharing(here, ""))
                        .containsPattern("\"life\":\"living\".*\"life\":\"living\""));
        other = named(there, "living");
        assertThat(forget(here, "?member=" + other))
            .startsWith("HTTP/1.1 409")
            .contains("'" + other + "' lives");
        assertThat(forget(there, "?member=" + other)).startsWith("HTTP/1.1 409");
      }
      await().untilAsserted(() -> assertThat(named(here, "left")).isEqualTo(other));
      assertThat(here.operator("GET /audit")).doesNotContain("forget");
      assertThat(forget(here, "?member=" + other))
          .startsWith("HTTP/1.1 200")
          .endsWith("{\"member\":\"" + other + "\",\"slots\":1,\"away\":0,\"limits\":0}\n");
      assertThat(named(here, "released")).isEqualTo(other);
      assertThat(here.operator("GET /audit"))
          .contains("\"what\":\"POST /sharing/forget?member=" + other + "\"");
      assertThat(forget(here, "?member=none")).startsWith("HTTP/1.1 404").contains("'none'");
      assertThat(forget(here, "")).startsWith("HTTP/1.1 400");
      assertThat(here.operator("GET /sharing/forget")).startsWith("HTTP/1.1 405");
      redis.kill();
      await()
          .untilAsserted(
              () -> assertThat(forget(here, "?member=" + other)).startsWith("HTTP/1.1 503"));
    }
  }

  @Test
  void instanceAlone_sharesNothing() throws Exception {
    try (StartedGateway alone = StartedGateway.start(directory, ROUTES)) {
      assertThat(sharing(alone, "")).startsWith("HTTP/1.1 200").endsWith("[]\n");
      assertThat(forget(alone, "?member=none")).startsWith("HTTP/1.1 404");
    }
  }
}
