package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares a token bucket with a model that counts in exact fractions of a token. */
class TokenBucketModelTest {
  private static final BigInteger SECOND = BigInteger.valueOf(1_000_000_000L);

  /** A bucket with a level in tokens times the nanoseconds of the rate's seconds. */
  private static final class Exact {
    private final BigInteger unit;
    private final BigInteger rate;
    private final BigInteger burst;
    private BigInteger level;

    /** The highest level since the last take. */
    private BigInteger most;

    private long at;

    Exact(ExactRate exactRate, long burst, long now) {
      this.unit = BigInteger.valueOf(exactRate.seconds()).multiply(SECOND);
      this.rate = BigInteger.valueOf(exactRate.releases());
      this.burst = BigInteger.valueOf(burst).multiply(unit);
      this.level = this.burst;
      this.most = level;
      this.at = now;
    }

    void fill(long now) {
      level = level.add(rate.multiply(BigInteger.valueOf(now - at))).min(burst);
      most = most.max(level);
      at = now;
    }

    void consume(long tokens) {
      level = level.subtract(BigInteger.valueOf(tokens).multiply(unit));
    }

    void take(long tokens) {
      consume(tokens);
      most = level;
    }

    /** Gives back whole tokens: at most as many as were missing ever since, rounded up. */
    void add(long tokens) {
      BigInteger missing = burst.subtract(most).add(unit).subtract(BigInteger.ONE).divide(unit);
      level = level.add(BigInteger.valueOf(tokens).min(missing).multiply(unit)).min(burst);
    }

    /** Returns the level in whole tokens, rounded down. */
    long tokens() {
      BigInteger[] parts = level.divideAndRemainder(unit);
      return parts[0].longValueExact() - (parts[1].signum() < 0 ? 1 : 0);
    }

    /** Returns the first nanosecond at which the bucket has {@code tokens} tokens. */
    long opens(long tokens) {
      BigInteger missing = BigInteger.valueOf(tokens).multiply(unit).subtract(level);
      BigInteger[] parts = missing.max(BigInteger.ZERO).divideAndRemainder(rate);
      return at + parts[0].longValueExact() + parts[1].signum();
    }

    boolean full() {
      return level.equals(burst);
    }
  }

  private static long step(Random random, ExactRate exactRate) {
    double interval = 1e9 * exactRate.seconds() / exactRate.releases();
    return switch (random.nextInt(4)) {
      case 0 -> random.nextLong(3);
      case 1 -> (long) (interval * random.nextDouble());
      case 2 -> (long) (interval * 5 * random.nextDouble());
      default -> (long) (interval * (random.nextInt(20) == 0 ? 30 : 1));
    };
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1, 1",
    "10, 1, 10",
    "7, 60, 3",
    "999999, 1000, 50",
    "1000000000, 1, 1000",
    "999999937, 1, 1000",
    "999999999, 7, 20",
    "1, 1000000000, 3",
    "333333333, 1000000000, 12",
    "999999937, 999999929, 12",
  })
  void randomUse_isExactToTheNanosecond(long releases, long seconds, long burst) {
    ExactRate exactRate = new ExactRate(releases, seconds);
    for (long seed = 1; seed <= 10; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(1_000_000_000_000L);
      Limit limit = new Limit(new LimitSpec.TokenBucket(exactRate, burst), now);
      Exact exact = new Exact(exactRate, burst, now);
      LimitAnswer.Receipt last = null;
      for (int step = 0; step < 500 && now < Long.MAX_VALUE / 8; step++) {
        now += step(random, exactRate);
        exact.fill(now);
        long amount = 1 + random.nextLong(burst);
        String where = "seed " + seed + " step " + step;
        assertThat(limit.room(now)).as(where).isEqualTo(room(exact, burst));
        long opens = Math.max(now, exact.opens(amount));
        if (opens < Long.MAX_VALUE / 4) {
          assertThat(limit.roomFreeAt(amount, now)).as(where).isEqualTo(opens);
        }
        if (last != null && random.nextInt(4) == 0) {
          limit.giveBack(last, last.taken(), 0, now);
          exact.add(last.taken());
          last = null;
        } else if (random.nextInt(8) == 0) {
          limit.charge(amount, 0, now);
          exact.consume(amount);
        } else if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt receipt) {
          assertThat(exact.tokens()).as(where).isGreaterThanOrEqualTo(amount);
          exact.take(amount);
          last = receipt;
        } else {
          assertThat(exact.tokens()).as(where).isLessThan(amount);
        }
      }
    }
  }

  /** A take with the amount that counts in the end. */
  private static final class Passed {
    private final LimitAnswer.Receipt receipt;
    private long amount;

    Passed(LimitAnswer.Receipt receipt) {
      this.receipt = receipt;
      this.amount = receipt.taken();
    }
  }

  /**
   * Returns what is missing from a bucket after only the takes, with the amounts that count in the
   * end.
   */
  private static double missing(List<Passed> all, double perNano, long now) {
    double missing = 0;
    long before = 0;
    for (Passed each : all) {
      long at = each.receipt.cell();
      missing = Math.max(0, missing - (at - before) * perNano) + each.amount;
      before = at;
    }
    return Math.max(0, missing - (now - before) * perNano);
  }

  /**
   * Takes all there is again and again, and gives most of it back later. Returns the share of that
   * which comes back.
   */
  private static double givesBackLate(Random random, int load, String where) {
    long burst = 1 + random.nextLong(300);
    Limit limit = new Limit(new LimitSpec.TokenBucket(new ExactRate(40, 1), burst), 0);
    List<Passed> all = new ArrayList<>();
    Deque<Passed> running = new ArrayDeque<>();
    long asked = 0;
    long back = 0;
    long now = 0;
    for (int step = 0; step < 1_000; step++) {
      now += random.nextLong(SECOND.longValue() / load);
      long amount = 1 + random.nextLong(Math.min(burst, 20));
      if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt receipt) {
        all.add(new Passed(receipt));
        running.add(all.getLast());
      }
      if (running.size() > random.nextInt(20)) {
        Passed done = random.nextBoolean() ? running.removeFirst() : running.removeLast();
        long rest = random.nextLong(done.receipt.taken());
        long before = limit.balance(now).charged();
        limit.giveBack(done.receipt, rest, 0, now);
        asked += rest;
        back += before - limit.balance(now).charged();
        done.amount -= rest;
      }
      assertThat(missing(all, 40 / 1e9, now))
          .as("%s step %d", where, step)
          .isLessThan(limit.balance(now).charged() + 1.0);
    }
    return (double) back / asked;
  }

  @Test
  void givenBackLate_passesNoMoreThanIfItHadNeverBeenTaken() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      givesBackLate(random, 1 + random.nextInt(40), "seed " + seed);
    }
  }

  @Test
  void givenBackLateToABucketThatIsNeverFull_comesBack() {
    for (long seed = 1; seed <= 40; seed++) {
      assertThat(givesBackLate(new Random(seed), 40, "seed " + seed)).isGreaterThan(0.95);
    }
  }

  private static long room(Exact exact, long burst) {
    return exact.full() ? Long.MAX_VALUE : Math.max(0, Math.min(burst, exact.tokens()));
  }
}
