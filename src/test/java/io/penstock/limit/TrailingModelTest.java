package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares a trailing window with a model that remembers every release to the nanosecond. */
class TrailingModelTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long GUARD = 50_000_000;
  private static final long CAPACITY = 1_000;

  private record Release(long at, long amount) {}

  /** Returns the largest sum of releases in any closed interval of a length. */
  private static long largestIn(List<Release> releases, long length) {
    long most = 0;
    long sum = 0;
    int from = 0;
    for (Release release : releases) {
      sum += release.amount();
      while (release.at() - releases.get(from).at() > length) {
        sum -= releases.get(from).amount();
        from++;
      }
      most = Math.max(most, sum);
    }
    return most;
  }

  private static long since(List<Release> releases, long after) {
    long sum = 0;
    for (int at = releases.size() - 1; at >= 0 && releases.get(at).at() > after; at--) {
      sum += releases.get(at).amount();
    }
    return sum;
  }

  private static Limit limit(long burst, long now) {
    return new Limit(new LimitSpec.TrailingWindow(CAPACITY, WINDOW, GUARD, burst), now);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 83, CAPACITY})
  void randomCosts_neverOverInAnyTrailingWindow(long burst) {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(1_000 * SECOND);
      Limit limit = limit(burst, now);
      List<Release> releases = new ArrayList<>();
      for (int step = 0; step < 3_000; step++) {
        now += (long) (random.nextDouble() * random.nextDouble() * 2 * SECOND);
        long amount = 1 + random.nextLong(random.nextBoolean() ? 400 : 40);
        if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt) {
          releases.add(new Release(now, amount));
        }
      }
      assertThat(largestIn(releases, WINDOW + GUARD)).as("seed " + seed).isBetween(1L, CAPACITY);
    }
  }

  /** A take is refused only if an exact window, longer by a sub-cell, would be too full as well. */
  @Test
  void randomCosts_keepIdleAtMostWhatOneMoreSubCellHolds() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(1_000 * SECOND);
      Limit limit = limit(CAPACITY, now);
      List<Release> releases = new ArrayList<>();
      for (int step = 0; step < 3_000; step++) {
        now += random.nextLong(2 * SECOND);
        long amount = 1 + random.nextLong(60);
        long room = Math.min(CAPACITY, limit.room(now));
        assertThat(CAPACITY - room)
            .as("seed " + seed)
            .isLessThanOrEqualTo(since(releases, now - WINDOW - GUARD - SECOND))
            .isGreaterThanOrEqualTo(since(releases, now - WINDOW - GUARD));
        if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt) {
          releases.add(new Release(now, amount));
        }
      }
    }
  }

  @Test
  void alwaysMoreWanted_atMostASixtiethAndOneCellStayIdle() {
    for (long seed = 1; seed <= 10; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(1_000 * SECOND);
      Limit limit = limit(CAPACITY / 12, now);
      long begin = now;
      long released = 0;
      while (now - begin < 20 * WINDOW) {
        long amount = 1 + random.nextLong(16); // mean 0.85 % of the limit
        if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Wait wait) {
          now = wait.untilNanos();
          limit.take(Weight.exactly(amount), now);
        }
        released += amount;
      }
      double share = released / ((double) CAPACITY * (now - begin) / WINDOW);
      assertThat(share).as("seed " + seed).isGreaterThan(0.95);
    }
  }

  @Test
  void chargesAndRefundsAtRandom_balanceIsTheModelsToWithinOneSubCell() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      long now = 500 * SECOND;
      Limit limit = limit(CAPACITY, now);
      List<Release> releases = new ArrayList<>();
      for (int step = 0; step < 1_000; step++) {
        now += random.nextLong(3 * SECOND);
        long amount = 1 + random.nextLong(50);
        LimitAnswer.Receipt receipt = limit.charge(amount, 0, now);
        long back = random.nextBoolean() ? random.nextLong(amount + 1) : 0;
        limit.giveBack(receipt, back, 0, now);
        releases.add(new Release(now, amount - back));
        assertThat(limit.balance(now).charged())
            .as("seed " + seed)
            .isLessThanOrEqualTo(since(releases, now - WINDOW - GUARD - SECOND))
            .isGreaterThanOrEqualTo(since(releases, now - WINDOW - GUARD));
      }
    }
  }
}
