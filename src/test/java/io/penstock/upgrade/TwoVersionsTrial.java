package io.penstock.upgrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.MariaDb;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the jar of an older commit and the one of the present sources on the same stored data. The
 * present one must go on with the data, or refuse them with a sentence, which is printed.
 */
class TwoVersionsTrial {
  @TempDir private Path directory;

  private Path routes;

  @BeforeEach
  void write() throws IOException {
    routes =
        Files.writeString(
            directory.resolve("routes.yaml"),
            """
            endpoints:
              - {path: /open, algorithm: none}
              - {path: /day, algorithm: token_window, tokens_per_window: 100, window_seconds: 86400}
            """);
  }

  private JarGateway begin(JarVersion version, List<String> arguments) throws IOException {
    return JarGateway.begin(version, routes, arguments);
  }

  /** Returns whether the gateway serves; it may also have refused its start. */
  private static boolean serves(JarGateway gateway) {
    return switch (gateway.outcome()) {
      case StartOutcome.Serving serving -> true;
      case StartOutcome.Refused(String sentence) -> {
        System.out.println(gateway.version() + " refuses: " + sentence);
        yield false;
      }
      case StartOutcome.Broken broken -> fail(gateway.version() + " did not start: " + broken);
    };
  }

  @Test
  void sideBySideOnOneRedisAndDatabase_eachSeesTheOther_orOneRefuses() throws IOException {
    List<String> shared =
        List.of(
            "--penstock.redis.url=" + RedisServer.shared().url(),
            "--penstock.redis.namespace=versions-" + UUID.randomUUID(),
            "--penstock.database.url=" + MariaDb.url(MariaDb.database(), MariaDb.port()),
            "--penstock.keys.store=sql",
            "--penstock.region.name=here");
    try (JarGateway previous = begin(JarVersion.PREVIOUS, shared)) {
      assertThat(previous.outcome()).isEqualTo(new StartOutcome.Serving());
      try (JarGateway current = begin(JarVersion.CURRENT, shared)) {
        if (serves(current)) {
          String key = newKey(previous, "of-previous");
          awaitAccepted(current, key);
          awaitAccepted(previous, newKey(current, "of-current"));
          assertThat(previous.ask(key, "/day?tokens=60").status()).isEqualTo(200);
          assertThat(current.ask(key, "/day?timeout=1&tokens=60").status()).isEqualTo(429);
          current.terminate();
          current.awaitEnd();
        }
      }
      previous.terminate();
      previous.awaitEnd();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"state.yaml", "state.db"})
  void filesOfThePreviousVersion_areReadByThePresentOne_orRefused(String state) throws IOException {
    List<String> files =
        List.of(
            "--penstock.keys.store=file:" + directory.resolve("keys.db"),
            "--penstock.state.file=" + directory.resolve(state));
    String key;
    try (JarGateway previous = begin(JarVersion.PREVIOUS, files)) {
      assertThat(previous.outcome()).isEqualTo(new StartOutcome.Serving());
      key = newKey(previous, "k");
      assertThat(previous.ask(key, "/day?tokens=60").status()).isEqualTo(200);
      previous.terminate();
      previous.awaitEnd();
    }
    try (JarGateway current = begin(JarVersion.CURRENT, files)) {
      if (serves(current)) {
        assertThat(current.ask(key, "/day?timeout=1&tokens=60").status()).isEqualTo(429);
        current.terminate();
        current.awaitEnd();
      }
    }
  }

  /** Creates a key, and returns its secret. */
  private static String newKey(JarGateway gateway, String name) {
    HttpMessage answer = gateway.operator("POST", "/keys", "{\"name\":\"" + name + "\"}");
    assertThat(answer.status()).as(answer.text()).isEqualTo(201);
    return JsonMapper.shared().readTree(answer.text()).required("secret").asString();
  }

  private static void awaitAccepted(JarGateway gateway, String key) {
    PatientWaits.await("accepted by " + gateway.version())
        .until(() -> gateway.ask(key, "/open").status() == 200);
  }
}
