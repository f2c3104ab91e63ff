package io.penstock.bench;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Answer;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.park.SchedulerAlarm;
import io.penstock.quota.LimitId;
import io.penstock.sync.OnOutage;
import io.penstock.sync.Pace;
import io.penstock.sync.RedisAddress;
import io.penstock.sync.RedisLink;
import io.penstock.sync.RedisSupply;
import io.penstock.sync.Rounds;
import io.penstock.sync.SharedLimitSource;
import io.penstock.time.Ticker;
import io.penstock.time.WallClock;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

/** A limit shared through Redis and used without HTTP, so that tokens can be taken at any speed. */
final class DirectLimit implements AutoCloseable {
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  private final Ticker ticker = Ticker.system();
  private final SchedulerAlarm alarm = new SchedulerAlarm("direct-limit", ticker);
  private final RedisLink link;
  private final Rounds rounds;
  private final Limit limit;

  /** Shares a limit of ten million tokens in 10 s. */
  DirectLimit(int port) {
    RedisAddress address = RedisAddress.parse("redis://127.0.0.1:" + port, null, null);
    link = new RedisLink(address, null, 1_000, ticker);
    rounds =
        new Rounds(
            "direct",
            new RedisSupply(link, "direct", 2 * SECOND, ticker, WallClock.system()),
            ticker,
            alarm,
            new Pace(100 * MILLI, 2 * SECOND, SECOND),
            OnOutage.PARK,
            new Random(1)::nextDouble);
    LimitId id = new LimitId(LimitId.Kind.ENDPOINT, "/direct", "", Measure.TOKENS, 10 * SECOND);
    limit =
        new SharedLimitSource(rounds, any -> true)
            .limit(id, new LimitSpec.FixedWindow(10_000_000, 10 * SECOND), ticker.nanos());
    rounds.start();
  }

  /** Takes a given number of single tokens each second; returns how many attempts succeeded. */
  long spend(int aSecond, int seconds) {
    long from = ticker.nanos();
    long done = 0;
    for (long now = from; now < from + seconds * SECOND; now = ticker.nanos()) {
      long due = (long) ((double) (now - from) / SECOND * aSecond);
      while (done < due && limit.take(Weight.exactly(1), now) instanceof Answer.Receipt) {
        done++;
      }
      LockSupport.parkNanos(MILLI);
    }
    return done;
  }

  @Override
  public void close() {
    rounds.stop();
    alarm.close();
    link.close();
  }
}
