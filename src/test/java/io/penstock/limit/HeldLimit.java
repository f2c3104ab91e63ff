package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/** A limit that is held to shares by a test, with a wall clock in step with the monotonic one. */
final class HeldLimit {
  static final long SECOND = LimitContract.SECOND;
  static final long START = LimitContract.START;
  static final long MINUTE = 60 * SECOND;
  static final long DAY = LimitSpec.Day.NANOS;

  /** When limits are created: an hour before. */
  static final long BEGIN = START - 60 * MINUTE;

  /** It is noon at {@link #START}, twelve hours before a midnight that ends a month, too. */
  private static final long NOON_MILLIS = Instant.parse("2026-04-30T12:00:00Z").toEpochMilli();

  static final long MIDNIGHT = START + DAY / 2;

  /** When one of the fixed windows began. */
  static final long GRID = START - 3 * SECOND;

  final Limit limit;
  final AtomicInteger shortages = new AtomicInteger();
  private final ShareDemand demand = new ShareDemand(shortages::incrementAndGet);
  private final Clock clock;
  private boolean leaseHolds = true;

  /** A wall clock that shows the time of the last operation. */
  static final class Clock {
    private long nowNanos = BEGIN;

    ZoneMidnights midnights(ZoneMidnights.Each each) {
      return new ZoneMidnights(
          ZoneOffset.UTC, () -> NOON_MILLIS + (nowNanos - START) / 1_000_000, each);
    }
  }

  HeldLimit(LimitSpec spec) {
    this(spec, new Clock());
  }

  HeldLimit(LimitSpec spec, Clock clock) {
    this.clock = clock;
    this.limit = new Limit(spec, BEGIN);
    limit.sharing().holdShares(now -> leaseHolds, demand, BEGIN);
  }

  void lease(boolean holds) {
    leaseHolds = holds;
  }

  long grid() {
    return limit.spec() instanceof LimitSpec.FixedWindow ? GRID : Ticker.NEVER;
  }

  long laterNanos(long now) {
    if (!(limit.spec() instanceof LimitSpec.Day day) || day.midnight() == null) {
      return Ticker.NEVER;
    }
    return now < MIDNIGHT ? MIDNIGHT : MIDNIGHT + day.windowNanos();
  }

  /** Holds it to a share, which is the same in a later day. */
  HeldLimit hold(long share, long now) {
    return hold(share, share, now);
  }

  HeldLimit hold(long share, long later, long now) {
    change(share, later, grid(), true, now);
    return this;
  }

  ShareStanding shrink(long most, long now) {
    return change(most, Long.MAX_VALUE, grid(), false, now);
  }

  ShareStanding change(long share, long later, long gridNanos, boolean raises, long now) {
    clock.nowNanos = now;
    return limit
        .sharing()
        .changeShare(new ShareChange(share, later, laterNanos(now), gridNanos, raises), now);
  }

  ShareStanding standing(long now) {
    clock.nowNanos = now;
    return limit.sharing().standing(grid(), now);
  }

  LimitAnswer take(long amount, long now) {
    clock.nowNanos = now;
    return limit.take(Weight.exactly(amount), now);
  }

  LimitAnswer.Receipt taken(long amount, long now) {
    LimitAnswer answer = take(amount, now);
    assertThat(answer).isInstanceOf(LimitAnswer.Receipt.class);
    return (LimitAnswer.Receipt) answer;
  }

  /** Returns the instant until which an amount has to wait. */
  long waits(long amount, long now) {
    LimitAnswer answer = take(amount, now);
    assertThat(answer).isInstanceOf(LimitAnswer.Wait.class);
    return ((LimitAnswer.Wait) answer).untilNanos();
  }

  /** Takes one after the other until none goes; returns how many went. */
  long takeAll(long now) {
    long went = 0;
    while (went <= 10_000 && take(1, now) instanceof LimitAnswer.Receipt) {
      went++;
    }
    return went;
  }

  void giveBack(LimitAnswer.Receipt receipt, long now) {
    clock.nowNanos = now;
    limit.giveBack(receipt, receipt.taken(), receipt.reserved(), now);
  }

  void hear(long free, long denied, boolean isAway, long now) {
    ShareNews.Contact contact = isAway ? ShareNews.Contact.AWAY : ShareNews.Contact.READY;
    limit.sharing().hear(news -> new ShareNews(free, denied, now, contact, null));
  }

  boolean isAwaiting(long amount, long now) {
    return limit.sharing().isAwaitingShare(amount, now);
  }

  long waiting() {
    return Objects.requireNonNull(limit.sharing().demand()).most();
  }
}
