package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisCluster;
import io.penstock.fake.RedisSentinels;
import io.penstock.fake.RedisServer;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Three instances that share limits through masters of Redis that fail and are followed. */
@Order(2) // takes long
class ShareMastersIT {
  private static final long MILLI = 1_000_000;
  private static final long WINDOW_NANOS = 1_000 * MILLI;
  private static final long LEASE_NANOS = 2_000 * MILLI;

  /** Longer than a busy machine stands still: then an instance would have no share for a while. */
  private static final long LONG_LEASE_NANOS = 20_000 * MILLI;

  private static final Map<LimitId, Terms> LIMITS = limits();

  private final Ticker ticker = Ticker.system();
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  private final Queue<ShareOracle.Release> releases = new ConcurrentLinkedQueue<>();
  private final List<RedisSharer> instances = new ArrayList<>();

  private static Map<LimitId, Terms> limits() {
    Map<LimitId, Terms> limits = new LinkedHashMap<>();
    for (int i = 0; i < 12; i++) {
      limits.put(
          new LimitId(LimitId.Kind.KEY, "k" + i, "", LimitMeasure.REQUESTS, WINDOW_NANOS),
          new Terms(Kind.TRAILING, 30, WINDOW_NANOS));
    }
    return limits;
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    instances.forEach(RedisSharer::close);
  }

  private void start(String url, boolean continues) {
    ShareTerms terms =
        new ShareTerms(
            continues ? LONG_LEASE_NANOS : LEASE_NANOS,
            250 * MILLI,
            500 * MILLI,
            50 * MILLI,
            LEASE_NANOS,
            continues);
    RedisSharer.Fleet fleet = new RedisSharer.Fleet(url, LIMITS, terms, ticker, threads, releases);
    for (int i = 0; i < 3; i++) {
      instances.add(new RedisSharer(fleet, i));
    }
    go(LIMITS.keySet());
  }

  /** Waits until more of all these limits has gone at each instance. */
  private void go(Collection<LimitId> limits) {
    List<Map<LimitId, Long>> before = instances.stream().map(RedisSharer::gone).toList();
    for (int i = 0; i < instances.size(); i++) {
      RedisSharer instance = instances.get(i);
      Map<LimitId, Long> then = before.get(i);
      for (LimitId id : limits) {
        PatientWaits.await(id + " goes at " + i)
            .until(() -> instance.gone().get(id) > then.get(id) + 20);
      }
    }
  }

  private long over() {
    ShareOracle oracle = new ShareOracle();
    releases.stream()
        .sorted(Comparator.comparingLong(ShareOracle.Release::trueNanos))
        .forEach(oracle::released);
    return oracle.worst(LIMITS).over();
  }

  /** Returns the key of the instances in a slot. */
  private static String instances(int slot) {
    return "fleet:instances:{" + slot + "}";
  }

  /** Returns the number of the epoch under a key of instances. */
  private static long epoch(RedisServer master, String key) {
    String state = master.command("HGET", key, "state");
    return Long.parseLong(state.replaceFirst("^\\S+ (\\d+):.*$", "$1"));
  }

  @Test
  void masterIsFollowedByItsReplica_itsLimitsGoOn() {
    try (RedisCluster redis = RedisCluster.started(3)) {
      RedisServer master = redis.ownerOf(instances(0));
      RedisServer replica = redis.replicate(master);
      start(redis.url(), true);
      master.kill();
      PatientWaits.await("an epoch of the replica").until(() -> isIn(replica, instances(0), 2));
      go(LIMITS.keySet());
      assertThat(epochs(redis, List.of(1, 2, 3))).containsOnly(1L);
      assertThat(over()).isLessThanOrEqualTo(0);
    }
  }

  private static boolean isIn(RedisServer master, String key, long epoch) {
    return master.command("EXISTS", key).equals(":1") && epoch(master, key) == epoch;
  }

  private static List<Long> epochs(RedisCluster redis, List<Integer> slots) {
    return slots.stream()
        .map(each -> epoch(redis.ownerOf(instances(each)), instances(each)))
        .toList();
  }

  @Test
  void masterDiesAndParks_takesItsLimitsAlone_untilItIsBackWithoutData() {
    try (RedisCluster redis = RedisCluster.started(3, "cluster-require-full-coverage no")) {
      RedisServer master = redis.ownerOf(instances(3));
      start(redis.url(), false);
      master.kill();
      PatientWaits.await("the end of a lease").until(() -> held().size() < LIMITS.size());
      PatientWaits.await("one more")
          .until(() -> instances.stream().allMatch(each -> each.slots.isReady()));
      go(held());
      master.start();
      go(LIMITS.keySet());
      assertThat(over()).isLessThanOrEqualTo(0);
    }
  }

  /** Returns the limits of which all instances may spend their shares. */
  private List<LimitId> held() {
    long now = ticker.nanos();
    return LIMITS.keySet().stream()
        .filter(id -> instances.stream().allMatch(each -> each.slots.lease(id).holds(now)))
        .toList();
  }

  @Test
  void slotMoves_itsLimitsGoOn() {
    try (RedisCluster redis = RedisCluster.started(3)) {
      String key = instances(1);
      RedisServer from = redis.ownerOf(key);
      RedisServer to = redis.masters().stream().filter(each -> each != from).findFirst().get();
      start(redis.url(), true);
      assertThat(redis.masters())
          .extracting(each -> each.command("KEYS", "fleet:instances:*}"))
          .as("four slots, and no master without one")
          .containsExactlyInAnyOrder("*1", "*1", "*2");
      redis.beginMove(key, from, to);
      go(LIMITS.keySet());
      redis.endMove(key, from, to);
      PatientWaits.await("the epoch of another master").until(() -> isIn(to, key, 2));
      go(LIMITS.keySet());
      assertThat(from.command("KEYS", "fleet:*{1}*")).isEqualTo("*0");
      assertThat(epochs(redis, List.of(0, 2, 3))).containsOnly(1L);
      assertThat(over()).isLessThanOrEqualTo(0);
    }
  }

  @Test
  void masterOfSentinelsIsFollowedByItsReplica_itsLimitsGoOn() {
    try (RedisSentinels redis = RedisSentinels.started()) {
      start(redis.url(), true);
      redis.first().kill();
      PatientWaits.await("an epoch of the replica")
          .until(() -> isIn(redis.second(), "fleet:instances:0", 2));
      go(LIMITS.keySet());
      assertThat(over()).isLessThanOrEqualTo(0);
    }
  }
}
