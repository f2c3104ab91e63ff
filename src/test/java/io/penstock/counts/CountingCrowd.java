package io.penstock.counts;

import io.penstock.cost.Weight;
import io.penstock.fake.FakeTicker;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.OutagePolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Instances that count one limit together, each by its own clocks, with more demand than fits. */
final class CountingCrowd {
  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;

  /** Unix time at which the true clock of tests starts, somewhere within a cell of a minute. */
  static final long UNIX_MILLIS = 1_800_000_037_000L;

  static final long INTERVAL = 100 * MILLI;
  static final long STEP = 10 * MILLI;

  /** One instance. */
  static final class Member {
    final Limit limit;
    final CountSync exchange;
    final double perStep;
    private final FakeTicker ticker = new FakeTicker();
    private final long origin;
    private double due;

    private Member(CountingCrowd crowd, int number, double perStep, long skewMillis) {
      this.perStep = perStep;
      this.origin = 1_000_000 * SECOND * (number + 1) + 777_777L * number;
      ticker.set(origin + crowd.now);
      this.limit = new Limit(crowd.spec, ticker.nanos());
      this.exchange =
          new CountSync(
              crowd.network.counts(),
              "m" + number,
              ticker,
              () -> UNIX_MILLIS + (ticker.nanos() - origin) / MILLI + skewMillis,
              new CountSync.Terms(INTERVAL, SECOND, SECOND, OutagePolicy.PARK));
      exchange.join(crowd.id, limit, true);
    }

    long now() {
      return ticker.nanos();
    }
  }

  final List<Member> members = new ArrayList<>();
  final LossyCountStore network;
  long now;

  private final AtomicLong unix;
  private final LimitId id;
  private final LimitSpec spec;
  private final List<Long> released = new ArrayList<>();

  CountingCrowd(LimitId id, LimitSpec spec, LossyCountStore network, AtomicLong unix) {
    this.unix = unix;
    this.id = id;
    this.spec = spec;
    this.network = network;
  }

  /** Adds an instance with a demand of {@code perSecond}. */
  Member add(double perSecond, long skewMillis) {
    Member member = new Member(this, members.size(), perSecond * STEP / SECOND, skewMillis);
    members.add(member);
    return member;
  }

  void run(long nanos) {
    for (long end = now + nanos; now < end; ) {
      now += STEP;
      unix.set(UNIX_MILLIS + now / MILLI);
      network.advance(now);
      for (Member member : members) {
        member.ticker.set(member.origin + now);
        member.exchange.step();
        for (member.due += member.perStep; member.due >= 1; member.due--) {
          if (member.limit.take(Weight.exactly(1), member.ticker.nanos())
              instanceof LimitAnswer.Receipt) {
            released.add(now);
          }
        }
      }
    }
  }

  /** Adds instances with clocks that are off by up to {@code skewMillis}. */
  void add(int count, double perSecondEach, long skewMillis, Random random) {
    for (int each = 0; each < count; each++) {
      add(perSecondEach, skewMillis == 0 ? 0 : random.nextLong(-skewMillis, skewMillis));
    }
  }

  /**
   * Returns the largest amount released in any window that ends at a release after {@code since}.
   */
  long mostInAnyWindow(long windowNanos, long since) {
    long most = 0;
    int first = 0;
    for (int last = 0; last < released.size(); last++) {
      while (released.get(first) <= released.get(last) - windowNanos) {
        first++;
      }
      if (released.get(last) >= since) {
        most = Math.max(most, last - first + 1);
      }
    }
    return most;
  }

  /** Returns the largest amount released in any cell of the Unix clock. */
  long mostInAnyCell(long windowNanos) {
    LongFunction<Long> cell = instant -> Math.floorDiv(UNIX_MILLIS * MILLI + instant, windowNanos);
    long most = 0;
    int first = 0;
    for (int last = 0; last < released.size(); last++) {
      while (!cell.apply(released.get(first)).equals(cell.apply(released.get(last)))) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  /** Returns the amount released from {@code since} until now. */
  long releasedSince(long since) {
    return released.stream().filter(at -> at > since).count();
  }
}
