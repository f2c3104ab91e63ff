package io.penstock.bench;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.park.SchedulerAlarm;
import io.penstock.redis.RedisAddress;
import io.penstock.redis.RedisLink;
import io.penstock.redis.shares.RedisShareStore;
import io.penstock.shares.CountedLimits;
import io.penstock.shares.ShareSlots;
import io.penstock.shares.ShareSync;
import io.penstock.shares.ShareTerms;
import io.penstock.shares.SharedLimit;
import io.penstock.shares.SharedLimitSource;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import io.penstock.sharing.SharingMode;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A limit shared through Redis and used without HTTP, so that tokens can be taken at any speed. */
final class DirectLimit implements AutoCloseable {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final Ticker ticker = Ticker.system();
  private final SchedulerAlarm alarm = new SchedulerAlarm("direct-limit", ticker);
  private final RedisLink link;
  private final ShareSlots slots;
  private final Limit limit;

  /** Shares a limit of ten million tokens in 10 s. */
  DirectLimit(int port) {
    RedisAddress address = RedisAddress.parse("redis://127.0.0.1:" + port, null, null);
    link = new RedisLink(address, null, 1_000, ticker);
    RedisShareStore store = RedisShareStore.of(link, "direct", ticker).getFirst();
    ShareTerms terms = new ShareTerms(12 * SECOND, SECOND, SECOND, 100 * MILLI, SECOND, true);
    ShareSync sync =
        new ShareSync(
            "direct",
            store,
            ticker,
            alarm,
            terms,
            new CountedLimits(() -> 0, 1_000_000_000, id -> true, OutagePolicy.CONTINUE, 0),
            new Random(1)::nextDouble);
    slots = new ShareSlots(List.of(sync));
    LimitId id =
        new LimitId(LimitId.Kind.ENDPOINT, "/direct", "", LimitMeasure.TOKENS, 10 * SECOND);
    limit =
        new SharedLimitSource(
                slots,
                any -> SharingMode.EXACT,
                new SharedLimit.Terms(OutagePolicy.CONTINUE, true, false, SECOND),
                ticker,
                WallClock.system())
            .limit(id, new LimitSpec.FixedWindow(10_000_000, 10 * SECOND), ticker.nanos());
    slots.start();
  }

  /** Takes a given number of single tokens each second; returns how many attempts succeeded. */
  long spend(int aSecond, int seconds) {
    long from = ticker.nanos();
    long done = 0;
    for (long now = from; now < from + seconds * SECOND; now = ticker.nanos()) {
      long due = (long) ((double) (now - from) / SECOND * aSecond);
      while (done < due && limit.take(Weight.exactly(1), now) instanceof LimitAnswer.Receipt) {
        done++;
      }
      LockSupport.parkNanos(MILLI);
    }
    return done;
  }

  @Override
  public void close() {
    slots.leave().toCompletableFuture().join();
    alarm.close();
    link.close();
  }
}
