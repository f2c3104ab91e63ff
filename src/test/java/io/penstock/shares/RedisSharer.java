package io.penstock.shares;

import io.penstock.park.SchedulerAlarm;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.redis.shares.RedisShareStore;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** An instance that shares limits through a real Redis, with clients that use all of each limit. */
final class RedisSharer implements AutoCloseable {
  private static final long MILLI = 1_000_000;
  private static final int CLIENTS = 4;

  /**
   * All instances of a test.
   *
   * @param threads for their clients
   * @param releases of all
   */
  record Fleet(
      String url,
      Map<LimitId, SpentLimit.Terms> limits,
      ShareTerms terms,
      Ticker ticker,
      ScheduledExecutorService threads,
      Queue<ShareOracle.Release> releases) {}

  private final Fleet fleet;
  private final int index;
  private final RedisLink link;
  private final List<SchedulerAlarm> alarms = new ArrayList<>();
  private final Map<LimitId, User> users = new LinkedHashMap<>();
  final ShareSlots slots;

  RedisSharer(Fleet fleet, int index) {
    this.fleet = fleet;
    this.index = index;
    Ticker ticker = fleet.ticker();
    this.link = new RedisLink(RedisAddress.parse(fleet.url(), null, null), null, 500, ticker);
    String name = "m" + index + "." + ticker.nanos();
    Random random = new Random(index);
    List<RedisShareStore> stores = RedisShareStore.of(link, "fleet", ticker);
    List<ShareSync> syncs = new ArrayList<>();
    for (RedisShareStore each : stores) {
      SchedulerAlarm alarm = new SchedulerAlarm("shares-" + index + "-" + alarms.size(), ticker);
      alarms.add(alarm);
      syncs.add(
          new ShareSync(
              name,
              each,
              ticker,
              alarm,
              fleet.terms(),
              new CountedLimits(() -> 0, 1_000_000_000, id -> true, OutagePolicy.CONTINUE, 0),
              random::nextDouble));
    }
    this.slots = new ShareSlots(syncs);
    stores.forEach(each -> each.listen(name, slots::changed));
    fleet.limits().forEach((id, terms) -> users.put(id, new User(id, terms)));
    users.forEach(slots::add);
    slots.start();
    users.values().forEach(User::begin);
  }

  /** Returns how many requests of each limit have gone here. */
  Map<LimitId, Long> gone() {
    Map<LimitId, Long> gone = new HashMap<>();
    users.forEach((id, user) -> gone.put(id, user.gone.get()));
    return gone;
  }

  @Override
  public void close() {
    alarms.forEach(SchedulerAlarm::close);
    link.close();
  }

  /** A limit with its clients. */
  private final class User implements ShareUser {
    private final LimitId id;
    private final SpentLimit limit;
    private final AtomicLong gone = new AtomicLong();
    private long at;

    User(LimitId id, SpentLimit.Terms terms) {
      this.id = id;
      this.limit = new SpentLimit(terms, slots.lease(id), now -> now, () -> slots.hurry(id));
    }

    private void begin() {
      for (int i = 0; i < CLIENTS; i++) {
        fleet.threads().execute(this::arrive);
      }
      var _ = fleet.threads().scheduleWithFixedDelay(this::look, 10, 10, TimeUnit.MILLISECONDS);
    }

    private synchronized void arrive() {
      at = fleet.ticker().nanos();
      limit.arrive(1, this::went, at);
    }

    private synchronized void look() {
      at = fleet.ticker().nanos();
      limit.look(at);
    }

    private void went() {
      gone.incrementAndGet();
      fleet.releases().add(new ShareOracle.Release(id, index, 1, at, at, at));
      var _ = fleet.threads().schedule(this::arrive, 20 * MILLI, TimeUnit.NANOSECONDS);
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
      fleet.threads().execute(this::look);
    }
  }
}
