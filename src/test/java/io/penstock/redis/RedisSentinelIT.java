package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisSentinels;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.SliceStore.Answer;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests sharing through a master that sentinels name. */
@Order(2) // takes long
class RedisSentinelIT {
  @Test
  void masterThatDies_isFollowedByItsReplica_whichIsAnotherRun() {
    try (RedisSentinels redis = RedisSentinels.started();
        RedisPeer a = new RedisPeer("a", redis.url());
        RedisPeer b = new RedisPeer("b", redis.url())) {
      Answer before = a.well(RedisPeer.ask("k", 5));
      assertThat(RedisPeer.sum(before)).isEqualTo(5);
      a.exchange(RedisPeer.count("c", 7));
      assertThat(b.exchange()).containsExactly(RedisPeer.count("c", 7));
      redis.first().kill();
      a.awaitTrouble(Kind.AWAY);
      Answer after = a.well(RedisPeer.ask("k", 6));
      assertThat(RedisPeer.sum(after)).as("by scripts the new master did not know").isEqualTo(6);
      assertThat(after.run().name()).isNotEqualTo(before.run().name());
      assertThat(redis.second().command("INFO", "replication")).contains("role:master");
      PatientWaits.await("an exchange with the new master").until(() -> exchanges(a, 8));
      PatientWaits.await("its counts").until(() -> exchanges(b, 0));
      assertThat(b.exchange()).containsExactly(RedisPeer.count("c", 8));
      redis.first().start();
      assertThat(a.well().run().name())
          .as("the old one is a replica now")
          .isEqualTo(after.run().name());
    }
  }

  private static boolean exchanges(RedisPeer peer, long amount) {
    try {
      if (amount > 0) {
        peer.exchange(RedisPeer.count("c", amount));
      } else {
        peer.exchange();
      }
      return true;
    } catch (CompletionException notYet) {
      return false;
    }
  }

  @Test
  void sentinelsThatDie_areNotMissed() {
    try (RedisSentinels redis = RedisSentinels.started()) {
      redis.sentinels().getFirst().kill();
      try (RedisPeer peer = new RedisPeer("a", redis.url())) {
        Answer before = peer.well();
        redis.sentinels().forEach(each -> each.kill());
        Answer after = peer.well();
        assertThat(after.life()).isEqualTo(before.life());
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
      Answer before = peer.well(RedisPeer.ask("k", 5));
      assertThat(RedisPeer.sum(before)).isEqualTo(5);
      stranger.awaitTrouble(Kind.ACCESS);
      redis.first().kill();
      PatientWaits.await("another run")
          .until(
              () ->
                  peer.trouble() == null && !peer.round().run().name().equals(before.run().name()));
    }
  }
}
