package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.LogCapture;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class RedisDurabilityIT {
  private static String look(RedisServer server) {
    try (LogCapture lines = LogCapture.listen();
        RedisLink link =
            new RedisLink(
                RedisAddress.parse(server.url(), null, null), null, 2_000, Ticker.system())) {
      RedisDurability durability = new RedisDurability();
      PatientWaits.join(durability.look(link, "ns:instances:"));
      PatientWaits.join(durability.look(link, "ns:instances:"));
      return String.join("\n", lines.lines());
    }
  }

  @Test
  void replicasWithoutAWriteThatMustReachOne_areWarnedOfOnce() {
    try (RedisServer master = RedisServer.started();
        RedisServer replica = RedisServer.started()) {
      assertThat(look(master)).isEmpty();
      String port = master.url().substring(master.url().lastIndexOf(':') + 1);
      replica.command("REPLICAOF", "127.0.0.1", port);
      PatientWaits.await("a replica")
          .until(() -> master.command("INFO", "replication").contains("connected_slaves:1"));
      assertThat(look(master)).containsOnlyOnce("min-replicas-to-write 0, expected 1");
      master.command("CONFIG", "SET", "min-replicas-to-write", "1");
      assertThat(look(master)).isEmpty();
    }
  }

  @Test
  void evictionOfKeys_isWarnedOfOnce() {
    try (RedisServer server = RedisServer.started("maxmemory-policy allkeys-lru")) {
      assertThat(look(server))
          .containsOnlyOnce("maxmemory-policy allkeys-lru, expected noeviction");
    }
  }
}
