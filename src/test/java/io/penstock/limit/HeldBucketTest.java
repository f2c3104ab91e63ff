package io.penstock.limit;

import static io.penstock.limit.HeldLimit.BEGIN;
import static io.penstock.limit.HeldLimit.SECOND;
import static io.penstock.limit.HeldLimit.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Shares of a bucket: its units come empty when they move, and the rate moves with them. */
class HeldBucketTest {
  /** Ten tokens a second, a hundred at once. */
  private static final LimitSpec.TokenBucket WHOLE =
      new LimitSpec.TokenBucket(new ExactRate(10, 1), 100);

  private final HeldLimit held = new HeldLimit(WHOLE);

  @Test
  void firstShare_comesEmptyAndFillsAtItsRate() {
    held.hold(30, START);
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.waits(1, START)).isEqualTo(Math.ceilDiv(3 * START + SECOND, 3));
    assertThat(held.limit.room(START + SECOND)).isEqualTo(3);
    assertThat(held.limit.room(START + 10 * SECOND)).isEqualTo(30);
    assertThat(held.limit.room(START + 100 * SECOND)).isEqualTo(30);
  }

  @Test
  void shareGoesAndComesBack_isEmpty() {
    held.hold(30, BEGIN);
    assertThat(held.limit.room(START)).isEqualTo(30);
    assertThat(held.shrink(0, START).share()).isZero();
    assertThat(held.limit.room(START)).isZero();
    assertThat(held.waits(1, START)).isEqualTo(Ticker.NEVER);
    held.hold(30, START + 100 * SECOND);
    assertThat(held.limit.room(START + 100 * SECOND)).isZero();
    assertThat(held.limit.room(START + 101 * SECOND)).isEqualTo(3);
  }

  @Test
  void shareGrows_newUnitsComeEmpty() {
    held.hold(30, BEGIN);
    held.hold(60, START);
    assertThat(held.limit.room(START)).isEqualTo(30);
    assertThat(held.limit.room(START + SECOND)).isEqualTo(36);
    assertThat(held.standing(START + SECOND).used()).isEqualTo(24);
  }

  @Test
  void shareShrinks_hasNoMoreTokensThanUnits() {
    held.hold(60, BEGIN);
    held.taken(20, START);
    held.shrink(50, START);
    assertThat(held.limit.room(START)).isEqualTo(40);
    held.shrink(10, START);
    assertThat(held.takeAll(START)).isEqualTo(10);
    assertThat(held.limit.room(START + SECOND)).isEqualTo(1);
  }

  @Test
  void partOfAToken_staysWithTheShare() {
    held.hold(10, BEGIN);
    held.taken(10, START);
    held.hold(50, START + 3 * SECOND / 2);
    // one and a half, then five a second
    assertThat(held.limit.room(START + 3 * SECOND / 2)).isEqualTo(1);
    assertThat(held.limit.admittedAt(2, START + 3 * SECOND / 2))
        .isEqualTo(START + 16 * SECOND / 10);
    held.shrink(1, START + 3 * SECOND / 2);
    held.hold(100, START + 3 * SECOND / 2);
    assertThat(held.limit.admittedAt(2, START + 3 * SECOND / 2))
        .isEqualTo(START + 16 * SECOND / 10);
  }

  @Test
  void debt_staysWhenTheShareChanges() {
    held.hold(50, BEGIN);
    held.limit.charge(70, 0, START);
    assertThat(held.standing(START).least()).isEqualTo(20);
    held.hold(100, START);
    assertThat(held.waits(1, START)).isEqualTo(START + 21 * SECOND / 10);
    held.shrink(10, START);
    assertThat(held.standing(START).least()).isEqualTo(20);
    assertThat(held.waits(1, START)).isEqualTo(START + 21 * SECOND);
  }

  @Test
  void givenBackAfterTheUnitsMoved_bringsNoMoreThanTheShare() {
    held.hold(50, BEGIN);
    LimitAnswer.Receipt receipt = held.taken(50, START);
    held.shrink(0, START);
    held.giveBack(receipt, START);
    assertThat(held.limit.room(START)).isZero();
    held.hold(20, START);
    held.giveBack(receipt, START);
    assertThat(held.limit.room(START)).isLessThanOrEqualTo(20);
  }

  /** Moves units among buckets at random, and spends and gives back. */
  private static final class Fleet {
    private final Random random;
    private final LimitSpec.TokenBucket whole;
    private final List<HeldLimit> members = new ArrayList<>();
    private final long[] shares;
    private double level;
    private long now = START;

    Fleet(long seed) {
      random = new Random(seed);
      long burst = 1 + random.nextLong(random.nextBoolean() ? 10 : 1_000);
      ExactRate rate = new ExactRate(1 + random.nextLong(1_000), 1 + random.nextLong(60));
      whole = new LimitSpec.TokenBucket(rate, burst);
      level = (double) burst;
      shares = new long[1 + random.nextInt(4)];
      for (int each = 0; each < shares.length; each++) {
        members.add(new HeldLimit(whole));
      }
    }

    void step() {
      pass();
      int which = random.nextInt(shares.length);
      HeldLimit one = members.get(which);
      if (random.nextInt(4) == 0) {
        shares[which] = random.nextLong(shares[which] + 1);
        one.shrink(shares[which], now);
      } else if (random.nextInt(4) == 0) {
        long free = whole.burst();
        for (long share : shares) {
          free -= share;
        }
        shares[which] += random.nextLong(free + 1);
        one.hold(shares[which], now);
      } else {
        spend(one);
      }
    }

    private void pass() {
      long nanos = random.nextLong(random.nextBoolean() ? SECOND : SECOND / 1_000);
      now += nanos;
      double more = (double) whole.rate().releases() / whole.rate().seconds() * nanos / SECOND;
      level = Math.min((double) whole.burst(), level + more);
    }

    private void spend(HeldLimit one) {
      long amount = 1 + random.nextLong(Math.max(1, whole.burst() / 3));
      if (one.take(amount, now) instanceof LimitAnswer.Receipt receipt) {
        level -= amount;
        if (random.nextInt(5) == 0) {
          one.giveBack(receipt, now);
          level += amount;
        }
      }
    }
  }

  @Test
  void unitsMoveAtRandom_sumOfAllIsNeverMoreThanTheWholeBucket() {
    for (long seed = 0; seed < 300; seed++) {
      Fleet fleet = new Fleet(seed);
      for (int step = 0; step < 300; step++) {
        fleet.step();
        assertThat(fleet.level).as("seed %d, step %d", seed, step).isGreaterThan(-1e-3);
      }
    }
  }
}
