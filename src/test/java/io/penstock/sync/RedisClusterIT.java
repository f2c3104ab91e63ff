package io.penstock.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisServer;
import io.penstock.quota.Counts;
import io.penstock.quota.Supply.Answer;
import io.penstock.quota.Supply.Ask;
import io.penstock.quota.Supply.Grant;
import io.penstock.sync.RedisTrouble.Kind;
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
    return IntStream.range(0, LIMITS).mapToObj(i -> Peer.ask("k" + i, wanted)).toArray(Ask[]::new);
  }

  private static Set<String> granted(Answer answer) {
    return answer.grants().stream().map(Grant::id).map(id -> id.id()).collect(Collectors.toSet());
  }

  /** Returns the limits of asks that a master has. */
  private static Set<String> ofMaster(RedisCluster redis, RedisServer master) {
    return IntStream.range(0, LIMITS)
        .mapToObj(i -> "k" + i)
        .filter(limit -> redis.ownerOf(Peer.key(limit)) == master)
        .collect(Collectors.toSet());
  }

  @Test
  void limits_areSpreadOverMasters_ofWhichEachHasALife() {
    try (RedisCluster redis = RedisCluster.started(3);
        Peer a = new Peer("a", redis.url());
        Peer b = new Peer("b", redis.url())) {
      a.well();
      Answer first = a.round(asks(5));
      assertThat(Peer.sum(first)).isEqualTo(5 * LIMITS);
      Answer second = b.well(asks(5));
      assertThat(Peer.sum(second)).isEqualTo(5 * LIMITS);
      assertThat(a.round().members()).hasSize(2);
      assertThat(second.life().split("\\+")).hasSize(3);
      for (RedisServer master : redis.masters()) {
        assertThat(ofMaster(redis, master)).hasSizeGreaterThan(5);
        assertThat(master.command("KEYS", "ns:life:*")).isEqualTo("*1");
      }
      a.exchange(Peer.count("k1", 7), Peer.count("k2", 8), Peer.count("k3", 9));
      assertThat(b.exchange())
          .containsExactlyInAnyOrder(Peer.count("k1", 7), Peer.count("k2", 8), Peer.count("k3", 9));
    }
  }

  @Test
  void masterThatIsFollowedByItsReplica_isAnotherRun() {
    try (RedisCluster redis = RedisCluster.started(3)) {
      RedisServer master = redis.masters().get(1);
      redis.replicate(master);
      try (Peer peer = new Peer("a", redis.url())) {
        Answer before = peer.well(asks(5));
        master.kill();
        Until.holds("grants of all masters", () -> answers(peer, Set.of()));
        Answer after = peer.round();
        assertThat(after.run().name()).isNotEqualTo(before.run().name());
        assertThat(peer.round().run().name()).isEqualTo(after.run().name());
      }
    }
  }

  @Test
  void masterThatDies_takesItsLimitsAlone_untilItIsBack() {
    try (RedisCluster redis = RedisCluster.started(3, "cluster-require-full-coverage no");
        Peer peer = new Peer("a", redis.url())) {
      Answer before = peer.well(asks(5));
      RedisServer master = redis.ownerOf("ns:life:0");
      Set<String> its = ofMaster(redis, master);
      master.kill();
      Until.holds("grants of the others", () -> answers(peer, its));
      Answer between = peer.round(asks(5));
      assertThat(between.life()).isEqualTo(before.life());
      assertThat(granted(between)).hasSize(LIMITS - its.size()).doesNotContainAnyElementsOf(its);
      assertThat(peer.supply.troubles().counts()).containsKey(Kind.AWAY);
      try (Peer late = new Peer("b", redis.url())) {
        Until.holds("grants to one that starts meanwhile", () -> answers(late, its));
      }
      master.start();
      Until.holds("grants of all", () -> answers(peer, Set.of()));
      assertThat(peer.round().life()).isNotEqualTo(before.life());
    }
  }

  @Test
  void masterThatKnowsOfChanges_dies_andWhatIsToldIsStillRead() {
    try (RedisCluster redis = RedisCluster.started(3, "cluster-require-full-coverage no");
        Peer a = new Peer("a", redis.url());
        Peer b = new Peer("b", redis.url())) {
      a.well();
      b.well();
      RedisServer master = redis.ownerOf("ns:counts");
      String alive = one(redis, master, false);
      String dead = one(redis, master, true);
      a.exchange(Peer.count(alive, 5), Peer.count(dead, 6));
      assertThat(b.exchange()).containsExactlyInAnyOrder(Peer.count(alive, 5), Peer.count(dead, 6));
      master.kill();
      Until.holds("an exchange in part", () -> told(a, Peer.count(alive, 7), Peer.count(dead, 8)));
      Until.holds(
          "what is told of the limit",
          () -> told(b, Peer.count(alive, 1)) && heard(b, alive).contains(Peer.count(alive, 7)));
      assertThat(heard(b, alive)).as("as it was known").contains(Peer.count(dead, 6));
      master.start();
      Until.holds("an exchange of all", () -> told(a, Peer.count(alive, 9), Peer.count(dead, 9)));
      Until.holds(
          "all counts",
          () ->
              told(a, Peer.count(dead, 9))
                  && told(b)
                  && b.exchange().contains(Peer.count(dead, 9))
                  && b.exchange().contains(Peer.count(alive, 9)));
    }
  }

  private static String one(RedisCluster redis, RedisServer master, boolean its) {
    return IntStream.range(0, LIMITS)
        .mapToObj(i -> "k" + i)
        .filter(limit -> (redis.ownerOf(Peer.key(limit)) == master) == its)
        .findFirst()
        .orElseThrow();
  }

  private static boolean told(Peer peer, Counts.Count... counts) {
    try {
      peer.exchange(counts);
      return true;
    } catch (CompletionException notYet) {
      return false;
    }
  }

  private static List<Counts.Count> heard(Peer peer, String limit) {
    return peer.exchange(Peer.count(limit, 1));
  }

  /** Returns whether all limits except some are granted. */
  private static boolean answers(Peer peer, Set<String> but) {
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
        Peer peer = new Peer("a", redis.url())) {
      Answer before = peer.well();
      RedisServer master = redis.masters().get(1);
      master.kill();
      peer.awaitTrouble(Kind.CLUSTER);
      master.start();
      Until.holds("grants of all", () -> answers(peer, Set.of()));
      assertThat(peer.round().life()).isNotEqualTo(before.life());
    }
  }

  @Test
  void slotThatMoves_isFollowed() {
    try (RedisCluster redis = RedisCluster.started(3);
        Peer peer = new Peer("a", redis.url())) {
      peer.well(asks(5));
      RedisServer from = redis.ownerOf(Peer.key("k1"));
      RedisServer to = redis.masters().stream().filter(each -> each != from).findFirst().get();
      redis.beginMove(Peer.key("k1"), from, to);
      Answer between = peer.round(asks(5));
      assertThat(granted(between)).as("asked where it is by now").contains("k1");
      redis.endMove(Peer.key("k1"), to);
      Until.holds("a round with all", () -> answers(peer, Set.of()));
      assertThat(peer.round().life()).as("nothing was lost").isEqualTo(between.life());
      assertThat(to.command("EXISTS", Peer.key("k1"))).isEqualTo(":1");
    }
  }
}
