package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.GatewayServer;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.time.Ticker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that instances agree about a secret, on a real Redis. */
class SharedSecretIT {
  private static final RedisServer REDIS = RedisServer.shared();
  private static final int TIMEOUT_MILLIS = 30_000;

  private final String namespace = "secret-" + UUID.randomUUID();
  private final RedisLink link = link(REDIS.port());
  private final List<String> ofFirst = new ArrayList<>();
  private final List<String> ofSecond = new ArrayList<>();
  private final SharedSecret first = new SharedSecret(namespace, "prefix", ofFirst::add);
  private final SharedSecret second = new SharedSecret(namespace, "prefix", ofSecond::add);

  private static RedisLink link(int port) {
    RedisAddress address = RedisAddress.parse("redis://127.0.0.1:" + port, null, null);
    return new RedisLink(address, null, TIMEOUT_MILLIS, Ticker.system());
  }

  @AfterEach
  void close() {
    link.close();
  }

  private void look(SharedSecret secret) {
    PatientWaits.join(secret.look(link));
  }

  @Test
  void secondInstance_takesTheSecretOfTheFirst() {
    assertThat(ofFirst.getFirst()).hasSize(64).isNotEqualTo(ofSecond.getFirst());
    look(first);
    look(second);
    assertThat(ofFirst).hasSize(1);
    assertThat(ofSecond).hasSize(2).endsWith(ofFirst.getFirst());
    look(second);
    assertThat(ofSecond).hasSize(2);
  }

  @Test
  void dataThatRedisLost_isNotedAgain_andIsTheSame() {
    look(first);
    look(second);
    REDIS.command("DEL", namespace + ":prefix");
    look(second);
    look(first);
    SharedSecret third = new SharedSecret(namespace, "prefix", ofFirst::add);
    look(third);
    assertThat(ofFirst.getLast()).isEqualTo(ofFirst.getFirst());
    assertThat(ofSecond.getLast()).isEqualTo(ofFirst.getFirst());
  }

  @Test
  void gateway_notesTheSecretOfPrompts_unlessOneIsSet(@TempDir Path directory) throws IOException {
    Path routes =
        Files.writeString(
            directory.resolve("routes.yaml"), "endpoints: [{path: /a, algorithm: none}]");
    String[] shared = {
      "--server.port=0",
      "--management.server.port=-1",
      "--penstock.redis.url=" + REDIS.url(),
      "--penstock.redis.namespace=" + namespace,
      "--penstock.prefix.secret=own"
    };
    close(GatewayServer.start(Map.of(), routes, shared));
    assertThat(REDIS.command("EXISTS", namespace + ":prefix")).isEqualTo(":0");
    GatewayServer.Start sharing =
        GatewayServer.start(Map.of(), routes, Arrays.copyOf(shared, shared.length - 1));
    try {
      PatientWaits.await().until(() -> REDIS.command("EXISTS", namespace + ":prefix").equals(":1"));
    } finally {
      close(sharing);
    }
    look(first);
    assertThat(ofFirst).as("takes that of the gateway").hasSize(2);
  }

  private static void close(GatewayServer.Start start) {
    assertThat(start).isInstanceOf(GatewayServer.Started.class);
    ((GatewayServer.Started) start).context().close();
  }

  @Test
  void redisAway_keepsTheOwnSecret_untilALaterLook() {
    look(first);
    try (RedisLink nowhere = link(1)) {
      PatientWaits.join(second.look(nowhere));
    }
    assertThat(ofSecond).hasSize(1);
    look(second);
    assertThat(ofSecond).endsWith(ofFirst.getFirst());
  }
}
