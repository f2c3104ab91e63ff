package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares a trailing window under a provider's statements with a model that remembers every take.
 */
class TrailingToldModelTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long CAPACITY = 1_000;
  private static final LimitSpec SPEC =
      new LimitSpec.TrailingWindow(CAPACITY, WINDOW, 50_000_000, CAPACITY);

  /** A take from both limits. */
  private static final class Taken {
    private final long at;
    private final LimitAnswer.Receipt told;
    private final LimitAnswer.Receipt untold;
    private long held;
    private long counted;

    Taken(long at, LimitAnswer.Receipt told, LimitAnswer.Receipt untold) {
      this.at = at;
      this.told = told;
      this.untold = untold;
      this.held = told.reserved();
      recount();
    }

    /**
     * Records the amount that a notice includes. It includes what was given back before it, or the
     * next notice does.
     */
    private void recount() {
      counted = told.taken() + told.reserved();
    }
  }

  /** The last useful statement of the provider. */
  private record Said(int request, long since, long left, long most, long reset) {}

  private final List<Taken> takes = new ArrayList<>();
  private @Nullable Said said;

  private long room(long now) {
    Said last = said;
    if (last == null || now >= last.reset()) {
      return Long.MAX_VALUE;
    }
    BigInteger grown =
        BigInteger.valueOf(last.most() - last.left())
            .multiply(BigInteger.valueOf(now - last.since()))
            .divide(BigInteger.valueOf(last.reset() - last.since()));
    long since =
        takes.subList(last.request() + 1, takes.size()).stream().mapToLong(t -> t.counted).sum();
    return Math.max(0, last.left() + grown.longValueExact() - since);
  }

  /** Takes from both limits if the one with statements admits it. Returns whether it did. */
  private boolean take(Limit told, Limit untold, Weight weight, long now) {
    if (!(told.take(weight, now) instanceof LimitAnswer.Receipt receipt)) {
      return false;
    }
    LimitAnswer other = untold.take(weight, now);
    assertThat(other)
        .as("never more than the window itself")
        .isInstanceOf(LimitAnswer.Receipt.class);
    takes.add(new Taken(now, receipt, (LimitAnswer.Receipt) other));
    return true;
  }

  private void give(Limit told, Limit untold, Random random, long now) {
    Taken taken = takes.get(random.nextInt(takes.size()));
    told.giveBack(taken.told, 0, taken.held, now);
    untold.giveBack(taken.untold, 0, taken.held, now);
    taken.counted -= taken.held;
    taken.held = 0;
  }

  private void tell(Limit told, Random random, long now) {
    int request = random.nextInt(takes.size());
    Taken of = takes.get(request);
    long left = random.nextLong(CAPACITY + 200);
    long reset = random.nextLong(2 * WINDOW);
    told.feedback()
        .applyNotice(new ProviderNotice(of.told.totalTaken(), of.at, CAPACITY, left, reset), now);
    Said last = said;
    if (last == null || request >= last.request()) {
      takes.forEach(Taken::recount);
      said = new Said(request, of.at, Math.min(left, CAPACITY), CAPACITY, now + reset);
    }
  }

  @Test
  void randomUse_roomIsTheLesserOfWindowAndModel() {
    for (long seed = 1; seed <= 30; seed++) {
      Random random = new Random(seed);
      takes.clear();
      said = null;
      long now = random.nextLong(1_000 * SECOND);
      Limit told = new Limit(SPEC, now);
      Limit untold = new Limit(SPEC, now);
      int went = 0;
      for (int step = 0; step < 1_000; step++) {
        now += random.nextLong(SECOND);
        Weight weight = new Weight(1 + random.nextLong(20), random.nextLong(30), 1);
        went += take(told, untold, weight, now) ? 1 : 0;
        if (!takes.isEmpty() && random.nextInt(4) == 0) {
          tell(told, random, now);
        }
        if (!takes.isEmpty() && random.nextInt(3) == 0) {
          give(told, untold, random, now);
        }
        long expected = Math.min(untold.room(now), room(now));
        long least = Math.min(expected, CAPACITY);
        assertThat(Math.min(told.room(now), CAPACITY))
            .as("seed " + seed)
            .isBetween(least - 1, least);
      }
      assertThat(went).as("seed " + seed).isGreaterThan(100);
    }
  }

  @Test
  void noRoom_theInstantItNamesIsTheFirstThatAdmits() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(1_000 * SECOND);
      long most = 1 + random.nextLong(1L << random.nextInt(1, 40));
      Limit limit = new Limit(new LimitSpec.TrailingWindow(most, WINDOW, 0, most), now);
      LimitAnswer.Receipt first = (LimitAnswer.Receipt) limit.take(Weight.exactly(0), now);
      long left = random.nextLong(most);
      limit
          .feedback()
          .applyNotice(
              new ProviderNotice(first.totalTaken(), now, most, left, 1 + random.nextLong(WINDOW)),
              now);
      for (int step = 0; step < 10; step++) {
        Weight weight = Weight.exactly(1 + random.nextLong(most));
        if (limit.take(weight, now) instanceof LimitAnswer.Wait wait) {
          now = wait.untilNanos();
          assertThat(limit.decide(weight, now - 1)).as("seed " + seed).isEqualTo(wait);
          assertThat(limit.take(weight, now)).isInstanceOf(LimitAnswer.Receipt.class);
        }
      }
    }
  }

  @Test
  void toldTheTrueLimitAllTheWhile_neverOverItInAnyWindow_andUsesIt() {
    for (long seed = 1; seed <= 10; seed++) {
      Random random = new Random(seed);
      long now = random.nextLong(1_000 * SECOND);
      Limit limit = new Limit(new LimitSpec.TrailingWindow(CAPACITY, WINDOW, 0, 83), now);
      limit
          .feedback()
          .applyNotice(
              new ProviderNotice(0, now, 700, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED),
              now);
      List<long[]> releases = new ArrayList<>();
      long begin = now;
      long sum = 0;
      while (now - begin < 10 * WINDOW) {
        long amount = 1 + random.nextLong(16);
        if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Receipt receipt) {
          releases.add(new long[] {now, amount});
          sum += amount;
          limit
              .feedback()
              .applyNotice(
                  new ProviderNotice(
                      receipt.totalTaken(),
                      now,
                      700,
                      ProviderNotice.UNSTATED,
                      ProviderNotice.UNSTATED),
                  now);
        } else {
          now = limit.admittedAt(amount, now);
        }
        assertThat(since(releases, now - WINDOW)).as("seed " + seed).isLessThanOrEqualTo(700);
      }
      assertThat(sum / (700.0 * 10)).as("seed " + seed).isBetween(0.95, 1.02);
    }
  }

  private static long since(List<long[]> releases, long after) {
    long sum = 0;
    for (int at = releases.size() - 1; at >= 0 && releases.get(at)[0] > after; at--) {
      sum += releases.get(at)[1];
    }
    return sum;
  }

  /**
   * Four threads take while one applies a statement that 100 are left: no interleaving admits more.
   */
  @Test
  void takenAndToldByThreads_neverMoreThanWasLeft() throws Exception {
    for (int round = 0; round < 50; round++) {
      Limit limit = new Limit(SPEC, SECOND);
      LimitAnswer.Receipt first = (LimitAnswer.Receipt) limit.take(Weight.exactly(1), SECOND);
      limit
          .feedback()
          .applyNotice(
              new ProviderNotice(first.totalTaken(), SECOND, CAPACITY, 100, WINDOW), SECOND);
      AtomicLong taken = new AtomicLong();
      try (ExecutorService executor = Executors.newFixedThreadPool(5)) {
        List<Future<?>> runs = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
          runs.add(
              executor.submit(
                  () -> {
                    while (limit.take(Weight.exactly(1), SECOND) instanceof LimitAnswer.Receipt) {
                      taken.incrementAndGet();
                    }
                  }));
        }
        runs.add(
            executor.submit(
                () -> {
                  for (int time = 0; time < 50; time++) {
                    limit
                        .feedback()
                        .applyNotice(
                            new ProviderNotice(first.totalTaken(), SECOND, CAPACITY, 100, WINDOW),
                            SECOND);
                  }
                }));
        for (Future<?> run : runs) {
          run.get();
        }
      }
      assertThat(taken.get()).isEqualTo(100);
      assertThat(limit.balance(SECOND).charged()).isEqualTo(101);
    }
  }
}
