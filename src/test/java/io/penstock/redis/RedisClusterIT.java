package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.CountStore;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests counts in a cluster, where each master has those of some limits, and its failure. */
@Order(2) // takes long
class RedisClusterIT {
  private static final int LIMITS = 60;

  @Test
  void counts_areSpreadOverMasters_andReadFromAll() {
    try (RedisCluster redis = RedisCluster.started(3);
        RedisPeer a = new RedisPeer("a", redis.url());
        RedisPeer b = new RedisPeer("b", redis.url())) {
      List<CountStore.Count> counts =
          redis.masters().stream()
              .map(master -> RedisPeer.count(one(redis, master, true), 7))
              .toList();
      a.exchange(counts.toArray(CountStore.Count[]::new));
      assertThat(b.exchange()).containsExactlyInAnyOrderElementsOf(counts);
    }
  }

  @Test
  void masterThatKnowsOfChanges_dies_andWhatIsToldIsStillRead() {
    try (RedisCluster redis = RedisCluster.started(3, "cluster-require-full-coverage no");
        RedisPeer a = new RedisPeer("a", redis.url());
        RedisPeer b = new RedisPeer("b", redis.url())) {
      a.well();
      b.well();
      RedisServer master = redis.ownerOf("ns:counts");
      String alive = one(redis, master, false);
      String dead = one(redis, master, true);
      a.exchange(RedisPeer.count(alive, 5), RedisPeer.count(dead, 6));
      assertThat(b.exchange())
          .containsExactlyInAnyOrder(RedisPeer.count(alive, 5), RedisPeer.count(dead, 6));
      master.kill();
      PatientWaits.await("an exchange in part")
          .until(() -> told(a, RedisPeer.count(alive, 7), RedisPeer.count(dead, 8)));
      PatientWaits.await("what is told of the limit")
          .until(
              () ->
                  told(b, RedisPeer.count(alive, 1))
                      && heard(b, alive).contains(RedisPeer.count(alive, 7)));
      assertThat(heard(b, alive)).as("as it was known").contains(RedisPeer.count(dead, 6));
      master.start();
      PatientWaits.await("an exchange of all")
          .until(() -> told(a, RedisPeer.count(alive, 9), RedisPeer.count(dead, 9)));
      PatientWaits.await("all counts")
          .until(
              () ->
                  told(a, RedisPeer.count(dead, 9))
                      && told(b)
                      && b.exchange().contains(RedisPeer.count(dead, 9))
                      && b.exchange().contains(RedisPeer.count(alive, 9)));
    }
  }

  private static String one(RedisCluster redis, RedisServer master, boolean its) {
    return IntStream.range(0, LIMITS)
        .mapToObj(i -> "k" + i)
        .filter(limit -> (redis.ownerOf(RedisPeer.key(limit)) == master) == its)
        .findFirst()
        .orElseThrow();
  }

  private static boolean told(RedisPeer peer, CountStore.Count... counts) {
    try {
      peer.exchange(counts);
      return true;
    } catch (CompletionException notYet) {
      return false;
    }
  }

  private static List<CountStore.Count> heard(RedisPeer peer, String limit) {
    return peer.exchange(RedisPeer.count(limit, 1));
  }

  @Test
  void clusterThatWantsAllItsSlots_isAwayWithOneMaster() {
    try (RedisCluster redis = RedisCluster.started(3);
        RedisPeer peer = new RedisPeer("a", redis.url())) {
      peer.well();
      RedisServer master = redis.masters().get(1);
      master.kill();
      peer.awaitTrouble(Kind.CLUSTER);
      master.start();
      peer.well();
    }
  }
}
