package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests how a gateway refuses clients after another one has used up their limits. */
class WholeLimitIT {
  private static final long NEAR_SECONDS = 2;
  private static final String SECRET = KeySecrets.make();
  private static final String STATUS = "/v1/penstock/status";
  private static final String HEADER = "x-penstock-key: " + SECRET;
  private static final Pattern RETRY = Pattern.compile("\nRetry-After: (\\d+)");
  private static final Pattern HEADER_RESET = Pattern.compile("\"key-rpm\";r=0;t=(\\d+)");
  private static final Pattern STATUS_RESET =
      Pattern.compile("\"remaining\":0,\"reset_ms\":(\\d+)");
  private static final Pattern DECIDED = Pattern.compile("\"retry_after_ms\":(\\d+)");

  @TempDir private Path directory;

  private final String namespace = "whole-" + UUID.randomUUID();

  private StartedGateway start(String name) throws IOException {
    StartedGateway gateway =
        StartedGateway.start(
            Files.createDirectory(directory.resolve(name)),
            """
            keys: [{name: k, sha256: %s, rpm: 20, on_limit: reject}]
            endpoints: [{path: /a, algorithm: none}]
            """
                .formatted(KeySecrets.sha256(SECRET)),
            "--penstock.redis.url=" + RedisServer.shared().url(),
            "--penstock.redis.namespace=" + namespace);
    PatientWaits.await()
        .until(() -> gateway.operator("GET /actuator/health/readiness").startsWith("HTTP/1.1 200"));
    return gateway;
  }

  private static String ask(StartedGateway gateway, String path) {
    return gateway.gateway("GET " + path, HEADER);
  }

  private static long number(Pattern pattern, String answer) {
    Matcher found = pattern.matcher(answer);
    assertThat(found.find()).as(answer).isTrue();
    return Long.parseLong(found.group(1));
  }

  private static void isNear(Pattern pattern, long unitsASecond, String here, String there) {
    assertThat(number(pattern, here))
        .isCloseTo(number(pattern, there), within(NEAR_SECONDS * unitsASecond));
  }

  private static String tell(StartedGateway gateway, String method, String target, String json) {
    try (ByteSocket socket = ByteSocket.to(gateway.operatorPort())) {
      return socket
          .send(
              "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s"
                  .formatted(method, target, json.length(), json))
          .answer()
          .text();
    }
  }

  @Test
  void keyThatAnotherInstanceUsedUp_isToldTheSameHere() throws IOException {
    try (StartedGateway there = start("there");
        StartedGateway here = start("here")) {
      for (int i = 0; i < 20; i++) {
        assertThat(ask(there, "/a")).startsWith("HTTP/1.1 200");
      }
      PatientWaits.await().until(() -> STATUS_RESET.matcher(ask(here, STATUS)).find());
      isNear(STATUS_RESET, 1_000, ask(here, STATUS), ask(there, STATUS));
      String refused = ask(here, "/a");
      assertThat(refused).startsWith("HTTP/1.1 429");
      isNear(RETRY, 1, refused, ask(there, "/a"));
      isNear(HEADER_RESET, 1, refused, ask(there, "/a"));
    }
  }

  @Test
  void modelThatAnotherInstanceUsedUp_isDecidedTheSameHere() throws IOException {
    try (StartedGateway there = start("there");
        StartedGateway here = start("here")) {
      for (StartedGateway each : List.of(there, here)) {
        tell(each, "PUT", "/quotas?model=m", "{\"max_tpm\":100}");
      }
      String one = "{\"tokens\":1}";
      assertThat(tell(here, "POST", "/quotas/decide?model=m", one))
          .as("nothing was used, though this instance has no share yet")
          .contains("\"allowed\":true");
      tell(there, "POST", "/quotas/usage?model=m", "{\"prompt_tokens\":100,\"output_tokens\":0}");
      PatientWaits.await()
          .until(() -> tell(here, "POST", "/quotas/decide?model=m", one).contains("\"tpm\":100"));
      PatientWaits.await()
          .until(() -> DECIDED.matcher(tell(here, "POST", "/quotas/decide?model=m", one)).find());
      isNear(
          DECIDED,
          1_000,
          tell(here, "POST", "/quotas/decide?model=m", one),
          tell(there, "POST", "/quotas/decide?model=m", one));
    }
  }
}
