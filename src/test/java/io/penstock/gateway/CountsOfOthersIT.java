package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways that tell each other after the fact what they counted of keys. */
class CountsOfOthersIT {
  private static final String STRICT = KeySecrets.make();
  private static final String OTHER = KeySecrets.make();

  @TempDir private Path directory;

  private final String namespace = "strict-" + UUID.randomUUID();
  private final RedisServer redis = RedisServer.shared();

  private StartedGateway start(String name) throws IOException {
    String key = "- {name: %s, sha256: %s, tpm: 100, sharing: eventual%s}\n  ";
    return StartedGateway.start(
        Files.createDirectory(directory.resolve(name)),
        "keys:\n  "
            + key.formatted("strict", KeySecrets.sha256(STRICT), ", strict_after_denial: true")
            + key.formatted("other", KeySecrets.sha256(OTHER), "")
            + "\nendpoints: [{path: /a, algorithm: none}]",
        "--penstock.redis.url=" + redis.url(),
        "--penstock.redis.namespace=" + namespace,
        "--penstock.redis.sync-interval=20ms",
        "--penstock.redis.lease=10s");
  }

  private static int ask(StartedGateway gateway, String secret, int tokens) {
    String answer = gateway.gateway("GET /a?tokens=" + tokens, "x-penstock-key: " + secret);
    return Integer.parseInt(answer.split(" ", 3)[1]);
  }

  private boolean isTold(String key) {
    String names = "return table.concat(redis.call('HKEYS', KEYS[1]), ',')";
    return redis
        .command("EVAL", names, "1", namespace + ":instances:0:told")
        .contains("key/" + key + "/tokens:60000000000 ");
  }

  @Test
  void keyThatAnotherInstanceUsedUp_isRefusedFromTheFirstRequestOn() throws IOException {
    try (StartedGateway first = start("first");
        StartedGateway second = start("second")) {
      for (String secret : List.of(STRICT, OTHER)) {
        assertThat(ask(first, secret, 100)).isEqualTo(200);
      }
      PatientWaits.await().until(() -> isTold("strict") && isTold("other"));
      for (int i = 0; i < 100; i++) {
        assertThat(ask(second, STRICT, 1)).isEqualTo(429);
        assertThat(ask(second, OTHER, 1)).isEqualTo(429);
      }
    }
  }
}
