package io.penstock.redis;

import static io.penstock.fake.PatientWaits.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests gateways when their Redis is restarted, after it has written all its data to disk. */
class RedisRestartIT {
  private static final String KEY = KeySecrets.make();
  private static final String ROUTES =
      """
      keys:
        - {name: k, sha256: %s, rpd: 1000}
      endpoints:
        - {path: /open, algorithm: none}
      """
          .formatted(KeySecrets.sha256(KEY));

  @TempDir private static Path directory;

  private static StartedGateway start(String name, RedisServer redis) throws IOException {
    return StartedGateway.sharing(
        directory.resolve(name),
        ROUTES,
        redis,
        "--penstock.redis.namespace=restart",
        "--penstock.redis.lease=1s");
  }

  private static String ask(StartedGateway gateway) {
    return gateway.gateway("GET /open", "x-penstock-key: " + KEY);
  }

  private static void awaitServed(StartedGateway gateway) {
    await()
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(() -> assertThat(ask(gateway)).startsWith("HTTP/1.1 200"));
  }

  @Test
  void redisRestartedWithAllData_afterAnInstanceLeft_deniesNoDailyLimit() throws Exception {
    try (RedisServer redis = RedisServer.started("appendonly yes", "appendfsync always");
        StartedGateway stays = start("stays", redis)) {
      try (StartedGateway leaves = start("leaves", redis)) {
        awaitServed(leaves);
        awaitServed(stays);
      }
      redis.save();
      redis.restart();
      try (StartedGateway starts = start("starts", redis)) {
        awaitServed(starts);
        awaitServed(stays);
      }
    }
  }

  @Test
  void redisFlushed_afterAnInstanceLeft_servesAgain_alsoWhereOneStartsLater() throws Exception {
    try (RedisServer redis = RedisServer.started();
        StartedGateway stays = start("remains", redis)) {
      try (StartedGateway leaves = start("goes", redis)) {
        awaitServed(leaves);
        awaitServed(stays);
      }
      redis.flush();
      awaitServed(stays);
      try (StartedGateway starts = start("comes", redis)) {
        awaitServed(starts);
      }
    }
  }
}
