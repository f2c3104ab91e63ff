package io.penstock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisSentinels;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Optional;
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

  /** Returns a connection that the server serves; until then others may have its place. */
  private static Socket served(RedisServer server) {
    return PatientWaits.await("a place at the server")
        .until(() -> connected(server), Optional::isPresent)
        .orElseThrow();
  }

  private static Optional<Socket> connected(RedisServer server) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    socket.getOutputStream().write("PING\r\n".getBytes(UTF_8));
    if (socket.getInputStream().read() == '+') {
      return Optional.of(socket);
    }
    socket.close();
    return Optional.empty();
  }

  @Test
  void serverWithAllItsClients_isToldSo() throws IOException {
    try (RedisServer server = RedisServer.started("maxclients 1");
        Socket only = served(server)) {
      told(url(server), Kind.AWAY, "as many clients as it allows");
      assertThat(only.isConnected()).isTrue();
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
