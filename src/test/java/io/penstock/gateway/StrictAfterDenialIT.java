package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MetricsScrape;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests two gateways that count the use of keys after the fact: one reports at once, the other
 * exchanges counts only rarely.
 */
class StrictAfterDenialIT {
  private static final String STRICT = KeySecrets.make();
  private static final String OTHER = KeySecrets.make();

  @TempDir private Path directory;

  private final String namespace = "strict-" + UUID.randomUUID();
  private final RedisServer redis = RedisServer.shared();

  private StartedGateway start(String name, String interval) throws IOException {
    String key = "- {name: %s, sha256: %s, tpm: 100, sharing: eventual%s}\n  ";
    return StartedGateway.start(
        Files.createDirectory(directory.resolve(name)),
        "keys:\n  "
            + key.formatted("strict", KeySecrets.sha256(STRICT), ", strict_after_denial: true")
            + key.formatted("other", KeySecrets.sha256(OTHER), "")
            + "\nendpoints: [{path: /a, algorithm: none}]",
        "--penstock.redis.url=" + redis.url(),
        "--penstock.redis.namespace=" + namespace,
        "--penstock.redis.sync-interval=" + interval,
        "--penstock.redis.lease=1s");
  }

  private static int ask(StartedGateway gateway, String secret, int tokens) {
    String answer = gateway.gateway("GET /a?tokens=" + tokens, "x-penstock-key: " + secret);
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  /** Waits for a round: the next one is due after the whole interval. */
  private static void awaitRound(StartedGateway gateway) {
    double before = rounds(gateway);
    PatientWaits.await().until(() -> rounds(gateway) > before);
  }

  private static double rounds(StartedGateway gateway) {
    return MetricsScrape.of(gateway.operatorPort())
        .sum("penstock_sync_seconds_count", Map.of("what", "counts"));
  }

  private boolean knowsDenial(String key) {
    return !redis.command("HLEN", namespace + ":limit:key:" + key).equals(":0");
  }

  @Test
  void afterADenial_aStrictKeyIsJudgedByWhatOthersCounted() throws IOException {
    try (StartedGateway quick = start("quick", "20ms");
        StartedGateway seldom = start("seldom", "10s")) {
      awaitRound(seldom);
      assertThat(ask(quick, STRICT, 60)).isEqualTo(200);
      assertThat(ask(quick, OTHER, 60)).isEqualTo(200);
      PatientWaits.await().until(() -> knowsDenial("strict") && knowsDenial("other"));
      // this gateway does not know of the other's counts yet
      assertThat(ask(seldom, STRICT, 90)).isEqualTo(200);
      assertThat(ask(seldom, OTHER, 90)).isEqualTo(200);
      assertThat(ask(seldom, STRICT, 20)).isEqualTo(429);
      assertThat(ask(seldom, OTHER, 20)).isEqualTo(429);
      assertThat(ask(seldom, STRICT, 5)).isEqualTo(429);
      assertThat(ask(seldom, OTHER, 5)).isEqualTo(200);
    }
  }
}
