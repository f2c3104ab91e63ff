package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisSentinels;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import org.junit.jupiter.api.Test;

/** Tests that what a server of Redis answers is told as it is. */
class RedisAnswersIT {
  private static String url(RedisServer server) {
    return "redis://127.0.0.1:" + server.port();
  }

  private static void told(String url, Kind kind, String... words) {
    try (RedisPeer peer = new RedisPeer("a", url)) {
      assertThat(peer.awaitTrouble(kind)).hasMessageContainingAll(words);
    }
  }

  @Test
  void serverWithAllItsClients_isToldSo() {
    try (RedisServer server = RedisServer.started("maxclients 1");
        RedisPeer first = new RedisPeer("a", url(server))) {
      first.trouble();
      told(url(server), Kind.AWAY, "as many clients as it allows");
    }
  }

  @Test
  void databaseThatDoesNotExist_isToldSo() {
    try (RedisServer server = RedisServer.started("databases 2")) {
      told(url(server) + "/7", Kind.ADDRESS, "no database of that number");
    }
  }

  @Test
  void sentinelAsServer_isToldSo() {
    try (RedisSentinels redis = RedisSentinels.started()) {
      told(url(redis.sentinels().getFirst()), Kind.ADDRESS, "redis-sentinel://");
    }
  }

  @Test
  void nodeOfAClusterAsServer_isToldSo() {
    try (RedisCluster redis = RedisCluster.started(3)) {
      redis.masters().forEach(each -> told(url(each), Kind.ADDRESS, "redis-cluster://"));
    }
  }

  @Test
  void nodeThatHasNotJoinedACluster_isToldSo() {
    try (RedisServer node = RedisServer.node()) {
      told(url(node), Kind.CLUSTER, "not in order");
    }
  }

  @Test
  void serverAsCluster_isToldSo() {
    try (RedisServer server = RedisServer.started()) {
      told("redis-cluster://127.0.0.1:" + server.port(), Kind.ADDRESS, "no cluster");
    }
  }

  @Test
  void serverAsSentinel_isToldSo() {
    try (RedisServer server = RedisServer.started()) {
      told("redis-sentinel://127.0.0.1:" + server.port() + "#main", Kind.ADDRESS, "no Sentinel");
    }
  }

  @Test
  void otherMaster_isToldSo() {
    try (RedisSentinels redis = RedisSentinels.started()) {
      told(redis.url().replace("#main", "#other"), Kind.AWAY, "no master of that name");
    }
  }
}
