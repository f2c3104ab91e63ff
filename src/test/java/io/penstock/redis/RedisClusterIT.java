package io.penstock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.redis.RedisTrouble.Kind;
import io.penstock.sharing.CountStore;
import io.penstock.sharing.SliceStore.Answer;
import io.penstock.sharing.SliceStore.Ask;
import io.penstock.sharing.SliceStore.Grant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests sharing through a cluster, where each master has some of the limits. */
@Order(2) // takes long
class RedisClusterIT {
  private static final int LIMITS = 60;

  private static Ask[] asks(long wanted) {
    return IntStream.range(0, LIMITS)
        .mapToObj(i -> RedisPeer.ask("k" + i, wanted))
        .toArray(Ask[]::new);
  }

  private static Set<String> granted(Answer answer) {
    return answer.grants().stream().map(Grant::id).map(id -> id.id()).collect(Collectors.toSet());
  }

  /** Returns the limits of asks that a master has. */
  private static Set<String> ofMaster(RedisCluster redis, RedisServer master) {
    return IntStream.range(0, LIMITS)
        .mapToObj(i -> "k" + i)
        .filter(limit -> redis.ownerOf(RedisPeer.key(limit)) == master)
        .collect(Collectors.toSet());
  }

  @Test
  void limits_areSpreadOverMasters_ofWhichEachHasALife() {
    try (RedisCluster redis = RedisCluster.started(3);
        RedisPeer a = new RedisPeer("a", redis.url());
        RedisPeer b = new RedisPeer("b", redis.url())) {
      a.well();
      Answer first = a.round(asks(5));
      assertThat(RedisPeer.sum(first)).isEqualTo(5 * LIMITS);
      Answer second = b.well(asks(5));
      assertThat(RedisPeer.sum(second)).isEqualTo(5 * LIMITS);
      assertThat(a.round().members()).hasSize(2);
      assertThat(second.life().split("\\+")).hasSize(3);
      for (RedisServer master : redis.masters()) {
        assertThat(ofMaster(redis, master)).hasSizeGreaterThan(5);
        assertThat(master.command("KEYS", "ns:life:*")).isEqualTo("*1");
      }
      a.exchange(RedisPeer.count("k1", 7), RedisPeer.count("k2", 8), RedisPeer.count("k3", 9));
      assertThat(b.exchange())
          .containsExactlyInAnyOrder(
              RedisPeer.count("k1", 7), RedisPeer.count("k2", 8), RedisPeer.count("k3", 9));
    }
  }

  @Test
  void masterThatIsFollowedByItsReplica_isAnotherRun() {
    try (RedisCluster redis = RedisCluster.started(3)) {
      RedisServer master = redis.masters().get(1);
      redis.replicate(master);
      try (RedisPeer peer = new RedisPeer("a", redis.url())) {
        Answer before = peer.well(asks(5));
        master.kill();
        PatientWaits.await("grants of all masters").until(() -> answers(peer, Set.of()));
        Answer after = peer.round();
        assertThat(after.run().name()).isNotEqualTo(before.run().name());
        assertThat(peer.round().run().name()).isEqualTo(after.run().name());
      }
    }
  }

  @Test
  void masterThatDies_takesItsLimitsAlone_untilItIsBack() {
    try (RedisCluster redis = RedisCluster.started(3, "cluster-require-full-coverage no");
        RedisPeer peer = new RedisPeer("a", redis.url())) {
      Answer before = peer.well(asks(5));
      RedisServer master = redis.ownerOf("ns:life:0");
      Set<String> its = ofMaster(redis, master);
      master.kill();
      PatientWaits.await("grants of the others").until(() -> answers(peer, its));
      Answer between = peer.round(asks(5));
      assertThat(between.life()).isEqualTo(before.life());
      assertThat(granted(between)).hasSize(LIMITS - its.size()).doesNotContainAnyElementsOf(its);
      assertThat(peer.supply.troubles().counts()).containsKey(Kind.AWAY);
      try (RedisPeer late = new RedisPeer("b", redis.url())) {
        PatientWaits.await("grants to one that starts meanwhile").until(() -> answers(late, its));
      }
      master.start();
      PatientWaits.await("grants of all").until(() -> answers(peer, Set.of()));
      assertThat(peer.round().life()).isNotEqualTo(before.life());
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

  /** Returns whether all limits except some are granted. */
  private static boolean answers(RedisPeer peer, Set<String> but) {
    try {
      Answer answer = peer.round(asks(5));
      return granted(answer).size() == LIMITS - but.size()
          && but.stream().noneMatch(granted(answer)::contains);
    } catch (CompletionException notYet) {
      return false;
    }
  }

  @Test
  void clusterThatWantsAllItsSlots_isAwayWithOneMaster() {
    try (RedisCluster redis = RedisCluster.started(3);
        RedisPeer peer = new RedisPeer("a", redis.url())) {
      Answer before = peer.well();
      RedisServer master = redis.masters().get(1);
      master.kill();
      peer.awaitTrouble(Kind.CLUSTER);
      master.start();
      PatientWaits.await("grants of all").until(() -> answers(peer, Set.of()));
      assertThat(peer.round().life()).isNotEqualTo(before.life());
    }
  }

  @Test
  void slotThatMoves_isFollowed() {
    try (RedisCluster redis = RedisCluster.started(3);
        RedisPeer peer = new RedisPeer("a", redis.url())) {
      peer.well(asks(5));
      RedisServer from = redis.ownerOf(RedisPeer.key("k1"));
      RedisServer to = redis.masters().stream().filter(each -> each != from).findFirst().get();
      redis.beginMove(RedisPeer.key("k1"), from, to);
      Answer between = peer.round(asks(5));
      assertThat(granted(between)).as("asked where it is by now").contains("k1");
      redis.endMove(RedisPeer.key("k1"), to);
      PatientWaits.await("a round with all").until(() -> answers(peer, Set.of()));
      assertThat(peer.round().life()).as("nothing was lost").isEqualTo(between.life());
      assertThat(to.command("EXISTS", RedisPeer.key("k1"))).isEqualTo(":1");
    }
  }
}
