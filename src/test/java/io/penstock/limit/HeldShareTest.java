package io.penstock.limit;

import static io.penstock.limit.HeldLimit.BEGIN;
import static io.penstock.limit.HeldLimit.DAY;
import static io.penstock.limit.HeldLimit.MIDNIGHT;
import static io.penstock.limit.HeldLimit.MINUTE;
import static io.penstock.limit.HeldLimit.SECOND;
import static io.penstock.limit.HeldLimit.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import io.penstock.time.ZoneMidnights.Each;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Limits of each kind that are held to a share of themselves. */
class HeldShareTest {
  /** Kinds of limits, each with a capacity of 5,000 and, if it has one, a window of a minute. */
  enum Kind {
    TRAILING,
    SLIDING,
    SLIDING_CELLS,
    FIXED,
    DAY,
    FIRST_USE,
    MONTH,
    PERMITS,
    BUCKET;

    private static final long UNPACED = LimitSpec.TrailingWindow.UNPACED;

    /** Remembers single releases up to a capacity of 4,096. */
    long capacity() {
      return this == SLIDING ? 4_000 : 5_000;
    }

    HeldLimit limit() {
      return limit(capacity());
    }

    HeldLimit limit(long capacity) {
      HeldLimit.Clock clock = new HeldLimit.Clock();
      return new HeldLimit(spec(capacity, clock), clock);
    }

    LimitSpec spec(long capacity, HeldLimit.Clock clock) {
      return switch (this) {
        case TRAILING -> new LimitSpec.TrailingWindow(capacity, MINUTE, 0, UNPACED);
        case SLIDING, SLIDING_CELLS -> new LimitSpec.SlidingWindow(capacity, MINUTE);
        case FIXED -> new LimitSpec.FixedWindow(capacity, MINUTE);
        case DAY -> new LimitSpec.Day(capacity, clock.midnights(Each.DAY), 0);
        case FIRST_USE -> new LimitSpec.Day(capacity, null, 0);
        case MONTH -> new LimitSpec.Day(capacity, clock.midnights(Each.MONTH), 0);
        case PERMITS -> new LimitSpec.Concurrency(capacity);
        case BUCKET -> new LimitSpec.TokenBucket(new ExactRate(capacity, 60), capacity);
      };
    }
  }

  /** Holds a limit to a share, all of which may be spent at once. */
  private static HeldLimit full(Kind kind, long share) {
    HeldLimit held = kind.limit().hold(share, BEGIN);
    return held.hold(share, START);
  }

  @ParameterizedTest
  @EnumSource
  void noShare_everythingWaitsForOne(Kind kind) {
    HeldLimit held = kind.limit();
    long capacity = kind.capacity();
    assertThat(held.limit.capacity()).isEqualTo(capacity);
    assertThat(held.limit.capacity(START)).isEqualTo(capacity);
    assertThat(held.limit.ownCapacity(START)).isZero();
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.limit.utilization(START)).isZero();
    assertThat(held.waits(30, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.waits(40, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.limit.roomFreeAt(1, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.limit.admittedAt(1, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.shortages).hasValue(1);
    assertThat(held.isAwaiting(30, START)).isTrue();
    assertThat(held.standing(START)).isEqualTo(new ShareStanding(capacity, 0, 0, 0, 40, 40, 0, 0));
  }

  @ParameterizedTest
  @EnumSource
  void noShare_theWholeLimitCanBeAskedFor(Kind kind) {
    HeldLimit held = kind.limit();
    assertThat(held.waits(kind.capacity(), BEGIN)).isEqualTo(Ticker.NEVER);
    assertThat(held.standing(BEGIN).needed()).isEqualTo(kind.capacity());
    assertThat(held.shortages).hasValue(1);
  }

  @ParameterizedTest
  @EnumSource
  void partOfTheLimit_isAdmittedExactly(Kind kind) {
    HeldLimit held = full(kind, 30);
    assertThat(held.limit.ownCapacity(START)).isEqualTo(30);
    assertThat(held.limit.room(START)).isEqualTo(30);
    assertThat(held.takeAll(START)).isEqualTo(30);
    assertThat(held.limit.room(START)).isZero();
    ShareStanding standing = held.standing(START);
    assertThat(standing.share()).isEqualTo(30);
    assertThat(standing.spent()).isEqualTo(30);
    assertThat(standing.used()).isEqualTo(30);
    assertThat(standing.least()).isEqualTo(kind == Kind.BUCKET ? 0 : 30);
    assertThat(standing.needed()).isEqualTo(31);
    assertThat(held.limit.utilization(START)).isCloseTo(30.0 / kind.capacity(), within(1e-9));
  }

  @ParameterizedTest
  @EnumSource
  void allOfTheLimit_isAdmittedExactly(Kind kind) {
    HeldLimit held = full(kind, kind.capacity());
    assertThat(held.limit.room(START)).isEqualTo(Long.MAX_VALUE);
    held.taken(kind.capacity(), START);
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.take(1, START)).isInstanceOf(LimitAnswer.Wait.class);
  }

  @ParameterizedTest
  @EnumSource
  void tooLarge_isDecidedByTheWholeLimit(Kind kind) {
    for (long share : new long[] {0, 30, kind.capacity()}) {
      HeldLimit held = full(kind, share);
      assertThat(held.take(kind.capacity() + 1, START))
          .isEqualTo(new LimitAnswer.Refuse(kind.capacity()));
    }
    HeldLimit held = full(kind, 30);
    assertThat(held.waits(kind.capacity(), START)).isEqualTo(Ticker.NEVER);
    assertThat(held.standing(START).needed()).isEqualTo(kind.capacity());
    held.taken(30, START);
    assertThat(held.waits(31, START)).isEqualTo(Ticker.NEVER);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PERMITS")
  void usedUp_admitsAgainAtTheInstantItNamesAndNotBefore(Kind kind) {
    HeldLimit held = full(kind, 30);
    held.taken(30, START);
    for (long amount : new long[] {1, 7, 30}) {
      long until = held.waits(amount, START);
      assertThat(until).isGreaterThan(START).isLessThan(Ticker.NEVER);
      assertThat(held.limit.decide(Weight.exactly(amount), until - 1))
          .isInstanceOf(LimitAnswer.Wait.class);
      assertThat(held.limit.decide(Weight.exactly(amount), until))
          .isInstanceOf(LimitAnswer.Receipt.class);
      assertThat(until)
          .isEqualTo(
              switch (kind) {
                case TRAILING, SLIDING_CELLS -> Math.ceilDiv(START + MINUTE, SECOND) * SECOND;
                case SLIDING -> START + MINUTE;
                case FIXED -> START + 57 * SECOND;
                case DAY, MONTH -> MIDNIGHT;
                case FIRST_USE -> START + DAY;
                case BUCKET -> START + amount * 2 * SECOND;
                case PERMITS -> Ticker.NEVER;
              });
    }
  }

  @ParameterizedTest
  @EnumSource
  void leaseDoesNotHold_nothingPasses_untilItHoldsAgain(Kind kind) {
    HeldLimit held = full(kind, 30);
    held.taken(10, START);
    held.lease(false);
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.waits(1, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.limit.admittedAt(1, START)).isEqualTo(Ticker.NEVER);
    assertThat(held.standing(START).share()).isEqualTo(30);
    assertThat(held.limit.remainder(START).amount()).isZero();
    held.lease(true);
    assertThat(held.takeAll(START)).isEqualTo(20);
  }

  @ParameterizedTest
  @EnumSource
  void nothing_alwaysPasses(Kind kind) {
    HeldLimit held = kind.limit();
    assertThat(held.take(0, START)).isInstanceOf(LimitAnswer.Receipt.class);
    full(kind, 30).taken(0, START);
  }

  @ParameterizedTest
  @EnumSource
  void givenBack_isThereAgain(Kind kind) {
    HeldLimit held = full(kind, 30);
    LimitAnswer.Receipt receipt = held.taken(12, START);
    held.taken(18, START + 1);
    held.giveBack(receipt, START + 2);
    assertThat(held.limit.room(START + 2)).isEqualTo(12);
    assertThat(held.takeAll(START + 2)).isEqualTo(12);
  }

  @ParameterizedTest
  @EnumSource
  void givenBackAfterTheShareHasChanged_isThereAgainWithinTheShare(Kind kind) {
    HeldLimit held = full(kind, 30);
    LimitAnswer.Receipt receipt = held.taken(12, START);
    held.shrink(20, START + 1);
    held.giveBack(receipt, START + 2);
    assertThat(held.limit.room(START + 2)).isEqualTo(20);
    held.hold(40, START + 3);
    // units of a bucket come empty
    assertThat(held.takeAll(START + 4)).isEqualTo(kind == Kind.BUCKET ? 20 : 40);
  }

  @ParameterizedTest
  @EnumSource
  void reservedOutput_countsOfTheShareUntilItIsReleased(Kind kind) {
    HeldLimit held = full(kind, 30);
    LimitAnswer.Receipt receipt =
        (LimitAnswer.Receipt) held.limit.take(new Weight(5, 20, 5), START);
    assertThat(held.limit.room(START)).isEqualTo(5);
    assertThat(held.standing(START).least()).isEqualTo(kind == Kind.BUCKET ? 20 : 25);
    held.limit.giveBack(receipt, 0, 20, START);
    assertThat(held.limit.room(START)).isEqualTo(25);
  }

  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "PERMITS")
  void usageAboveTheShare_isStatedAndHasToLeaveFirst(Kind kind) {
    HeldLimit held = full(kind, 30);
    held.limit.charge(50, 0, START);
    assertThat(held.limit.room(START)).isZero();
    ShareStanding standing = held.shrink(30, START);
    assertThat(standing.least()).isEqualTo(kind == Kind.BUCKET ? 20 : 50);
    assertThat(standing.spent()).isEqualTo(50);
    assertThat(held.waits(1, START)).isBetween(START + 1, Ticker.NEVER - 1);
    held.hold(60, START);
    assertThat(held.takeAll(START)).isEqualTo(kind == Kind.BUCKET ? 0 : 10);
  }

  @ParameterizedTest
  @EnumSource
  void shrunk_neverGrowsByThat(Kind kind) {
    HeldLimit held = full(kind, 30);
    assertThat(held.shrink(100, START).share()).isEqualTo(30);
    assertThat(held.shrink(10, START).share()).isEqualTo(10);
    assertThat(held.takeAll(START)).isEqualTo(10);
    assertThat(held.shrink(0, START).share()).isZero();
    assertThat(held.standing(START).least()).isEqualTo(kind == Kind.BUCKET ? 0 : 10);
  }

  @ParameterizedTest
  @EnumSource
  void remainder_isWhatIsFreeInTheStoreAndItsOwnRest_forTwoSeconds(Kind kind) {
    HeldLimit held = full(kind, 30);
    held.taken(10, START);
    assertThat(held.limit.remainder(START).amount()).isEqualTo(20);
    held.hear(100, Long.MAX_VALUE, false, START);
    assertThat(held.limit.remainder(START).amount()).isEqualTo(120);
    held.hear(10_000, Long.MAX_VALUE, false, START);
    assertThat(held.limit.remainder(START).amount()).isEqualTo(kind.capacity() - 10);
    long later = START + 2 * SECOND;
    long own = kind == Kind.BUCKET ? 21 : 20;
    held.hear(100, Long.MAX_VALUE, false, START);
    assertThat(held.limit.remainder(later).amount()).isEqualTo(100 + own);
    assertThat(held.limit.remainder(later + 1).amount()).isEqualTo(own);
    held.hear(100, Long.MAX_VALUE, true, later);
    assertThat(held.limit.remainder(later).amount()).isEqualTo(own);
  }

  @ParameterizedTest
  @EnumSource
  void deniedAmounts_areNotAwaitedForTwoSeconds(Kind kind) {
    HeldLimit held = full(kind, 30);
    assertThat(held.isAwaiting(40, START)).isTrue();
    assertThat(held.isAwaiting(30, START)).isFalse();
    held.hear(0, 41, false, START);
    assertThat(held.isAwaiting(40, START)).isTrue();
    assertThat(held.isAwaiting(41, START)).isFalse();
    assertThat(held.isAwaiting(41, START + 2 * SECOND + 1)).isTrue();
    held.hear(0, Long.MAX_VALUE, true, START);
    assertThat(held.isAwaiting(40, START)).isFalse();
  }

  @ParameterizedTest
  @EnumSource(names = {"FIXED", "DAY", "MONTH"})
  void usedUpByAll_waitsUntilTheWindowEnds(Kind kind) {
    HeldLimit held = full(kind, 30);
    held.taken(30, START);
    assertThat(held.waits(31, START)).isEqualTo(Ticker.NEVER);
    held.hear(0, 1, false, START);
    assertThat(held.waits(31, START))
        .isEqualTo(kind == Kind.FIXED ? START + 57 * SECOND : MIDNIGHT);
  }

  @ParameterizedTest
  @EnumSource
  void resized_spendsTheSameShareOfTheNewLimit(Kind kind) {
    HeldLimit.Clock clock = new HeldLimit.Clock();
    HeldLimit held = new HeldLimit(kind.spec(1_000, clock), clock).hold(30, BEGIN);
    held.hold(30, START);
    held.taken(10, START);
    LimitSpec larger = kind.spec(2_000, clock);
    held.limit.resize(larger, START);
    assertThat(held.limit.capacity()).isEqualTo(2_000);
    assertThat(held.limit.spec()).isEqualTo(larger);
    assertThat(held.standing(START).capacity()).isEqualTo(2_000);
    assertThat(held.standing(START).share()).isEqualTo(30);
    assertThat(held.takeAll(START)).isEqualTo(20);
    held.limit.resize(kind.spec(5, clock), START);
    assertThat(held.take(6, START)).isEqualTo(new LimitAnswer.Refuse(5));
    assertThat(held.limit.room(START)).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void unshared_spendsTheRestOfTheWholeLimit(Kind kind) {
    HeldLimit held = full(kind, 30);
    held.taken(10, START);
    held.limit.sharing().unshare(START);
    assertThat(held.limit.sharing().isShared()).isFalse();
    long rest = kind == Kind.BUCKET ? 20 : kind.capacity() - 10;
    assertThat(held.limit.room(START)).isEqualTo(rest);
    held.taken(rest, START);
    assertThat(held.limit.room(START)).isZero();
  }

  @Test
  void anotherKind_keepsShareAndWhatIsOwed() {
    HeldLimit held = full(Kind.TRAILING, 30);
    held.taken(10, START);
    for (Kind kind : Kind.values()) {
      if (kind == Kind.PERMITS || kind == Kind.BUCKET) {
        continue;
      }
      LimitSpec next = kind.spec(kind.capacity(), new HeldLimit.Clock());
      held.limit.resize(next, START);
      assertThat(held.limit.spec()).isEqualTo(next);
      held.hold(30, START);
      assertThat(held.limit.room(START)).as(kind.name()).isEqualTo(20);
    }
    held.limit.resize(Kind.BUCKET.spec(5_000, new HeldLimit.Clock()), START);
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.limit.room(START + 2 * SECOND)).isEqualTo(1);
  }
}
