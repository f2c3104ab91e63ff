package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
