package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.CuttableProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three instances that share a limit through a real Redis which fails. */
class ShareFleetIT {
  private static final long MILLI = 1_000_000;
  private static final LimitId LIMIT =
      new LimitId(LimitId.Kind.KEY, "fleet", "", LimitMeasure.REQUESTS, 2_000 * MILLI);
  private static final Terms TERMS = new Terms(Kind.TRAILING, 200, 2_000 * MILLI);
  private static final long LEASE_NANOS = 1_500 * MILLI;

  /** Longer than a busy machine stands still: then an instance would have no share for a while. */
  private static final long LONG_LEASE_NANOS = 20_000 * MILLI;

  private final Ticker ticker = Ticker.system();
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  private final RedisServer redis = RedisServer.started("appendonly no");
  private final Queue<ShareOracle.Release> releases = new ConcurrentLinkedQueue<>();
  private final List<Instance> instances = new ArrayList<>();

  /** One instance, with a connection of its own that can be cut. */
  private final class Instance implements AutoCloseable {
    private final CuttableProxy proxy = new CuttableProxy(redis.port());
    private final RedisSharer sharer;

    Instance(int index, boolean continues) {
      ShareTerms terms =
          new ShareTerms(
              continues ? LONG_LEASE_NANOS : LEASE_NANOS,
              250 * MILLI,
              500 * MILLI,
              50 * MILLI,
              LEASE_NANOS,
              continues);
      String url = "redis://127.0.0.1:" + proxy.port();
      this.sharer =
          new RedisSharer(
              new RedisSharer.Fleet(url, Map.of(LIMIT, TERMS), terms, ticker, threads, releases),
              index);
    }

    private boolean maySpend() {
      return sharer.slots.lease(LIMIT).holds(ticker.nanos());
    }

    @Override
    public void close() {
      sharer.close();
      proxy.close();
    }
  }

  @AfterEach
  void stop() {
    threads.shutdownNow();
    instances.forEach(Instance::close);
    redis.close();
  }

  private void start(boolean continues) {
    for (int i = 0; i < 3; i++) {
      instances.add(new Instance(i, continues));
    }
    go(100);
  }

  /** Waits until so many more requests have gone. */
  private void go(int more) {
    int before = releases.size();
    PatientWaits.await().until(() -> releases.size() >= before + more);
  }

  /** Waits until so many more requests of one instance have gone. */
  private void go(int index, int more) {
    long before = of(index);
    PatientWaits.await().until(() -> of(index) >= before + more);
  }

  private long of(int index) {
    return releases.stream().filter(each -> each.instance() == index).count();
  }

  private long over() {
    ShareOracle oracle = new ShareOracle();
    releases.stream()
        .sorted(Comparator.comparingLong(ShareOracle.Release::trueNanos))
        .forEach(oracle::released);
    return oracle.worst(Map.of(LIMIT, TERMS)).over();
  }

  @Test
  void redisLosesItsData_nothingIsOver_allGoOn() {
    start(true);
    redis.flush();
    go(100);
    redis.flush();
    for (int i = 0; i < 3; i++) {
      go(i, 40);
    }
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void redisIsAway_eachServesItsShare_andAfterItReturnsEmpty() {
    start(true);
    for (int i = 0; i < 3; i++) {
      go(i, 20); // each has a share
    }
    redis.kill();
    for (int i = 0; i < 3; i++) {
      go(i, 20);
    }
    redis.restart();
    PatientWaits.await()
        .until(() -> instances.stream().allMatch(each -> each.sharer.slots.isReady()));
    go(100);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void redisStandsStillAndParks_nothingGoesAfterTheLease_thenAllGoOn() {
    start(false);
    redis.pause();
    PatientWaits.await().until(() -> instances.stream().noneMatch(Instance::maySpend));
    int before = releases.size();
    redis.resume();
    go(100);
    assertThat(releases.size()).isGreaterThan(before);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void oneIsCutOffAndParks_othersTakeItsShare_itComesBack() {
    start(false);
    Instance lost = instances.getFirst();
    lost.proxy.cut();
    PatientWaits.await().until(() -> !lost.maySpend());
    go(150);
    lost.proxy.restore();
    go(0, 40);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void oneLeavesAndAnotherComes_nothingIsOver() {
    start(true);
    Instance leaving = instances.removeFirst();
    leaving.sharer.slots.leave().toCompletableFuture().join();
    leaving.close();
    instances.add(new Instance(3, true));
    go(3, 40);
    assertThat(over()).isLessThanOrEqualTo(0);
  }
}
