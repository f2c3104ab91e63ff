package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.CuttableProxy;
import io.penstock.fake.LogCapture;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.shares.ShareEpoch;
import io.penstock.suite.TaggedTests;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Tests that an address which comes to lead to another server is followed, although the server of
 * before lives on and keeps its connections, as after a failover of a managed Redis.
 */
@Tag(TaggedTests.READS_LOG)
@Isolated("it reads what is logged")
class MovedRedisIT {
  private static void replicate(RedisServer server, int of) {
    server.command("REPLICAOF", "127.0.0.1", String.valueOf(of));
  }

  private static RedisPeer peer(CuttableProxy address) {
    return new RedisPeer("a", "redis://127.0.0.1:" + address.port());
  }

  @Test
  void masterBecomesAReplicaOfAnother_theOtherIsFound() {
    try (RedisServer first = RedisServer.started();
        RedisServer second = RedisServer.started();
        CuttableProxy address = new CuttableProxy(first.port());
        RedisPeer peer = peer(address)) {
      ShareEpoch before = peer.well();
      replicate(first, second.port());
      peer.awaitTrouble(Kind.READ_ONLY);
      address.leadTo(second.port());
      assertThat(peer.well().number()).isGreaterThan(before.number());
      assertThat(peer.share("k", 0, 6)).isGreaterThanOrEqualTo(6);
      assertThat(second.calls("eval")).isPositive();
    }
  }

  @Test
  void masterBecomesAReplicaWithoutData_theOtherIsFound() {
    try (RedisServer first = RedisServer.started("replica-serve-stale-data no");
        RedisServer second = RedisServer.started();
        CuttableProxy address = new CuttableProxy(first.port());
        RedisPeer peer = peer(address)) {
      peer.well();
      replicate(first, 1); // MASTERDOWN
      PatientWaits.await("trouble").until(() -> peer.trouble() != null);
      address.leadTo(second.port());
      peer.well();
      assertThat(peer.share("k", 0, 6)).isGreaterThanOrEqualTo(6);
    }
  }

  @Test
  void serverIsOneOfAClusterThatIsDown_theOtherIsFound() {
    try (RedisServer first = RedisServer.node();
        RedisServer second = RedisServer.started();
        CuttableProxy address = new CuttableProxy(first.port());
        RedisPeer peer = peer(address)) {
      peer.awaitTrouble(Kind.CLUSTER);
      address.leadTo(second.port());
      peer.well();
      assertThat(peer.share("k", 0, 6)).isGreaterThanOrEqualTo(6);
    }
  }

  @Test
  void listener_hearsWhatTheOtherPublishes() {
    try (RedisServer first = RedisServer.started();
        RedisServer second = RedisServer.started();
        CuttableProxy address = new CuttableProxy(first.port());
        RedisPeer peer = peer(address)) {
      BlockingQueue<String> heard = new LinkedBlockingQueue<>();
      AtomicInteger begun = new AtomicInteger();
      PatientWaits.join(peer.link.listen("news", heard::add, begun::incrementAndGet));
      peer.well();
      replicate(first, second.port());
      address.leadTo(second.port());
      peer.well();
      PatientWaits.await("another subscription").until(() -> begun.get() > 1);
      second.command("PUBLISH", "news", "moved");
      assertThat(PatientWaits.take(heard)).isEqualTo("moved");
    }
  }

  @Test
  void replicaThatNobodyReplaces_isToldOnce_andNothingLeaks() {
    try (LogCapture logCapture = LogCapture.listen();
        RedisServer server = RedisServer.started();
        RedisPeer peer = new RedisPeer("a", server.url())) {
      peer.well();
      replicate(server, 1);
      for (int each = 0; each < 3; each++) {
        peer.awaitTrouble(Kind.READ_ONLY);
      }
      server.kill();
      peer.awaitTrouble(Kind.AWAY);
      assertThat(logCapture.traces()).isEmpty();
      assertThat(logCapture.lines()).noneMatch(line -> line.contains("LEAK"));
    }
  }
}
