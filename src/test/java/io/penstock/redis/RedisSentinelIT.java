package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisSentinels;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.shares.ShareEpoch;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests sharing through a master that sentinels name. */
@Order(2) // takes long
class RedisSentinelIT {
  @Test
  void masterThatDies_isFollowedByItsReplica_whichBeginsAnEpoch() {
    try (RedisSentinels redis = RedisSentinels.started();
        RedisPeer a = new RedisPeer("a", redis.url());
        RedisPeer b = new RedisPeer("b", redis.url())) {
      ShareEpoch before = a.well();
      assertThat(b.well()).isEqualTo(before);
      redis.first().kill();
      a.awaitTrouble(Kind.AWAY);
      ShareEpoch after = a.well();
      assertThat(after.number()).isGreaterThan(before.number());
      assertThat(a.share("k", 0, 6))
          .as("by a script the new master did not know")
          .isGreaterThanOrEqualTo(6);
      assertThat(redis.second().command("INFO", "replication")).contains("role:master");
      assertThat(b.well()).isEqualTo(after);
      redis.first().start();
      assertThat(a.well()).as("the old one is a replica now").isEqualTo(after);
    }
  }

  @Test
  void sentinelsThatDie_areNotMissed() {
    try (RedisSentinels redis = RedisSentinels.started()) {
      redis.sentinels().getFirst().kill();
      try (RedisPeer peer = new RedisPeer("a", redis.url())) {
        ShareEpoch before = peer.well();
        redis.sentinels().forEach(each -> each.kill());
        assertThat(peer.well()).isEqualTo(before);
      }
    }
  }

  @Test
  void masterThatNobodyKnows_isSaid() {
    try (RedisSentinels redis = RedisSentinels.started();
        RedisPeer peer = new RedisPeer("a", redis.url().replace("#main", "#other"))) {
      assertThat(peer.awaitTrouble(Kind.AWAY)).hasMessageContaining("know no master");
    }
  }

  @Test
  void password_isThatOfServersAndSentinels() {
    try (RedisSentinels redis = RedisSentinels.guarded("secret");
        RedisPeer peer = new RedisPeer("a", RedisAddress.parse(redis.url(), null, "secret"), null);
        RedisPeer stranger =
            new RedisPeer("b", RedisAddress.parse(redis.url(), null, "wrong"), null)) {
      ShareEpoch before = peer.well();
      stranger.awaitTrouble(Kind.ACCESS);
      redis.first().kill();
      PatientWaits.await("another epoch")
          .until(() -> peer.trouble() == null && !peer.beat().equals(before));
    }
  }
}
