package io.penstock.shares;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.fake.CuttableProxy;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RedisServer;
import io.penstock.park.SchedulerAlarm;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.redis.shares.RedisShareStore;
import io.penstock.shares.SpentLimit.Kind;
import io.penstock.shares.SpentLimit.Terms;
import io.penstock.sharing.LimitId;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Three instances that share a limit through a real Redis which fails. */
class ShareFleetIT {
  private static final long MILLI = 1_000_000;
  private static final LimitId LIMIT =
      new LimitId(LimitId.Kind.KEY, "fleet", "", LimitMeasure.REQUESTS, 2_000 * MILLI);
  private static final Terms TERMS = new Terms(Kind.TRAILING, 200, 2_000 * MILLI);
  private static final int CLIENTS = 10;
  private static final long LEASE_NANOS = 1_500 * MILLI;

  /** Longer than a busy machine stands still: then an instance would have no share for a while. */
  private static final long LONG_LEASE_NANOS = 20_000 * MILLI;

  private final Ticker ticker = Ticker.system();
  private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2);
  private final RedisServer redis = RedisServer.started("appendonly no");
  private final Queue<ShareOracle.Release> releases = new ConcurrentLinkedQueue<>();
  private final List<Instance> instances = new ArrayList<>();

  /** One instance, with a connection of its own that can be cut. */
  private final class Instance implements ShareUser, AutoCloseable {
    private final int index;
    private final CuttableProxy proxy = new CuttableProxy(redis.port());
    private final RedisLink link =
        new RedisLink(
            RedisAddress.parse("redis://127.0.0.1:" + proxy.port(), null, null), null, 500, ticker);
    private final SchedulerAlarm alarm;
    private final ShareSync sync;
    private final SpentLimit limit;
    private long at;

    Instance(int index, boolean continues) {
      this.index = index;
      this.alarm = new SchedulerAlarm("shares-" + index, ticker);
      ShareTerms terms =
          new ShareTerms(
              continues ? LONG_LEASE_NANOS : LEASE_NANOS,
              250 * MILLI,
              500 * MILLI,
              50 * MILLI,
              LEASE_NANOS,
              continues);
      RedisShareStore store = new RedisShareStore(link, "fleet", ticker);
      String name = "m" + index + "." + ticker.nanos();
      this.sync = new ShareSync(name, store, ticker, alarm, terms, new Random(index)::nextDouble);
      this.limit = new SpentLimit(TERMS, sync.lease(), now -> now, () -> sync.hurry(LIMIT));
      store.listen(name, sync::changed);
      sync.add(LIMIT, this);
      sync.start();
      for (int i = 0; i < CLIENTS; i++) {
        threads.execute(this::arrive);
      }
      var _ = threads.scheduleWithFixedDelay(this::look, 5, 5, TimeUnit.MILLISECONDS);
    }

    private synchronized void arrive() {
      at = ticker.nanos();
      limit.arrive(1, this::went, at);
    }

    private synchronized void look() {
      at = ticker.nanos();
      limit.look(at);
    }

    private void went() {
      releases.add(new ShareOracle.Release(LIMIT, index, 1, at, at, at));
      var _ = threads.schedule(this::arrive, 20, TimeUnit.MILLISECONDS);
    }

    @Override
    public synchronized ShareUse shrink(long most, long now) {
      return limit.shrink(most, now);
    }

    @Override
    public synchronized ShareUse use(long now) {
      return limit.use(now);
    }

    @Override
    public synchronized long share(long now) {
      return limit.share(now);
    }

    @Override
    public synchronized void hold(long share, long later, ShareUse.Cell cell, long now) {
      limit.hold(share, later, cell, now);
    }

    @Override
    public void wake() {
      threads.execute(this::look);
    }

    @Override
    public void close() {
      alarm.close();
      link.close();
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
    PatientWaits.await().until(() -> instances.stream().allMatch(each -> each.sync.isReady()));
    go(100);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void redisStandsStillAndParks_nothingGoesAfterTheLease_thenAllGoOn() {
    start(false);
    redis.pause();
    PatientWaits.await()
        .until(() -> instances.stream().noneMatch(each -> each.sync.lease().holds(ticker.nanos())));
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
    PatientWaits.await().until(() -> !lost.sync.lease().holds(ticker.nanos()));
    go(150);
    lost.proxy.restore();
    go(0, 40);
    assertThat(over()).isLessThanOrEqualTo(0);
  }

  @Test
  void oneLeavesAndAnotherComes_nothingIsOver() {
    start(true);
    Instance leaving = instances.removeFirst();
    leaving.sync.leave().toCompletableFuture().join();
    leaving.close();
    instances.add(new Instance(3, true));
    go(3, 40);
    assertThat(over()).isLessThanOrEqualTo(0);
  }
}
