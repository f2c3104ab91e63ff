package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Properties of every limit, whatever its kind and wherever it comes from. */
abstract class LimitContract {
  static final long SECOND = 1_000_000_000L;

  /** An instant long after the origin, not at any edge. */
  static final long START = 1_000 * SECOND + 123_456_789;

  /** Creates a limit that owes nothing, with a capacity of at most 5,000. */
  abstract Limit limit();

  /** Returns the largest amount that one ticket takes: 1 for limits of requests. */
  abstract long largest();

  /** Returns another spec for the same limit, of a larger capacity or rate. */
  abstract LimitSpec larger();

  /** Returns the time within which all that can be charged to the limit is forgotten. */
  long forgets() {
    return 1_000 * SECOND;
  }

  /** Takes until the limit answers when to come back. */
  private LimitAnswer.Wait exhaust(Limit limit, long amount, long now) {
    for (int taken = 0; taken < 100_000; taken++) {
      if (limit.take(Weight.exactly(amount), now) instanceof LimitAnswer.Wait wait) {
        return wait;
      }
    }
    throw new AssertionError("it never ran out");
  }

  private Weight weight(Random random) {
    if (largest() == 1) {
      return Weight.exactly(1);
    }
    long taken = random.nextLong(largest());
    return new Weight(taken, random.nextLong(largest() / 2), random.nextLong(taken + 1));
  }

  @Test
  void randomUse_decideRoomEarliestAndTakeAgree() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      Limit limit = limit();
      long now = START;
      for (int step = 0; step < 400; step++) {
        now += random.nextLong(SECOND);
        Weight weight = weight(random);
        Weight cut = weight.within(limit.capacity());
        long room = limit.room(now);
        long earliest = limit.admittedAt(weight.amount(), now);
        boolean fits = cut.amount() <= room && limit.paceAllowsAt(cut.amount(), now) <= now;
        LimitAnswer decided = limit.decide(weight, now);
        LimitAnswer taken = limit.take(weight, now);
        assertThat(taken instanceof LimitAnswer.Receipt).as("seed " + seed).isEqualTo(fits);
        assertThat(decided instanceof LimitAnswer.Receipt).isEqualTo(fits);
        assertThat(earliest <= now).isEqualTo(fits);
        if (taken instanceof LimitAnswer.Wait wait) {
          assertThat(decided).isEqualTo(wait);
          assertThat(wait.untilNanos()).isEqualTo(earliest);
        }
        assertSound(limit, now);
      }
    }
  }

  private static void assertSound(Limit limit, long now) {
    LimitBalance limitBalance = limit.balance(now);
    assertThat(limitBalance.charged()).isNotNegative();
    assertThat(limitBalance.debt()).isNotNegative();
    assertThat(limitBalance.reserved()).isNotNegative();
    assertThat(limit.room(now)).isNotNegative();
    assertThat(limit.utilization(now)).isBetween(0.0, 1.0);
  }

  @Test
  void exhausted_admitsAtTheInstantItNamesAndNotBefore() {
    Random random = new Random(42);
    for (int round = 0; round < 200; round++) {
      Limit limit = limit();
      long now = START + random.nextLong(100 * SECOND);
      long amount = 1 + random.nextLong(largest());
      for (int step = 0; step < 20; step++) {
        long until = exhaust(limit, amount, now).untilNanos();
        assertThat(until).isGreaterThan(now).isLessThan(Ticker.NEVER);
        assertThat(limit.decide(Weight.exactly(amount), until - 1))
            .isInstanceOf(LimitAnswer.Wait.class);
        assertThat(limit.decide(Weight.exactly(amount), until))
            .isInstanceOf(LimitAnswer.Receipt.class);
        now = until;
      }
    }
  }

  @Test
  void randomUseAndGivingBackAll_leavesNothingOwed() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      Limit limit = limit();
      long now = START;
      List<LimitAnswer.Receipt> receipts = new ArrayList<>();
      for (int step = 0; step < 50; step++) {
        now += random.nextLong(SECOND / 100);
        if (limit.take(weight(random), now) instanceof LimitAnswer.Receipt receipt) {
          receipts.add(receipt);
        }
      }
      assertThat(receipts).isNotEmpty();
      for (LimitAnswer.Receipt receipt : receipts.reversed()) {
        limit.giveBack(receipt, receipt.taken(), receipt.reserved(), now);
        assertSound(limit, now);
      }
      assertThat(limit.balance(now)).as("seed " + seed).isEqualTo(LimitBalance.ZERO);
      assertThat(limit.room(now)).isPositive();
    }
  }

  @Test
  void askingManyTimes_takesNothing() {
    Limit limit = limit();
    for (int asked = 0; asked < 1_000; asked++) {
      assertThat(limit.decide(Weight.exactly(largest()), START))
          .isInstanceOf(LimitAnswer.Receipt.class);
    }
    assertThat(limit.balance(START)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void resizedToTheSameSpec_changesNothing() {
    Limit limit = limit();
    long until = exhaust(limit, largest(), START).untilNanos();
    LimitBalance before = limit.balance(START);
    limit.resize(limit.spec(), START);
    assertThat(limit.balance(START)).isEqualTo(before);
    assertThat(limit.admittedAt(largest(), START)).isEqualTo(until);
  }

  @Test
  void resized_keepsWhatIsOwed() {
    Limit limit = limit();
    exhaust(limit, 1, START);
    limit.charge(3, 0, START);
    LimitBalance before = limit.balance(START);
    limit.resize(larger(), START);
    LimitBalance after = limit.balance(START);
    assertThat(limit.spec()).isEqualTo(larger());
    assertThat(after.charged() + after.debt()).isEqualTo(before.charged() + before.debt());
    assertThat(after.reserved()).isEqualTo(before.reserved());
    assertSound(limit, START);
  }

  @Test
  void hugeCharges_leaveTheLimitExhaustedAndSound() {
    if (limit().balance(START).equals(charged(limit()))) {
      return; // limits of requests are not charged
    }
    Limit limit = limit();
    for (int charge = 0; charge < 10; charge++) {
      limit.charge(Long.MAX_VALUE / 2, 0, START);
      assertSound(limit, START);
      assertThat(limit.room(START)).isZero();
      assertThat(limit.decide(Weight.exactly(1), START)).isInstanceOf(LimitAnswer.Wait.class);
      assertThat(limit.admittedAt(1, START)).isGreaterThan(START);
    }
  }

  private static LimitBalance charged(Limit limit) {
    limit.charge(1, 0, START);
    return limit.balance(START);
  }

  /** Uses some of a limit at random. Returns the instant at which that was over. */
  private long use(Limit limit, Random random) {
    long now = START;
    for (int step = random.nextInt(20); step > 0; step--) {
      now += random.nextLong(SECOND / 10);
      limit.take(weight(random), now);
    }
    return now;
  }

  @Test
  void takenAndGivenBackAtOnce_isAsItWas() {
    for (long seed = 1; seed <= 100; seed++) {
      Random random = new Random(seed);
      Limit limit = limit();
      long now = use(limit, random);
      LimitBalance limitBalance = limit.balance(now);
      long room = limit.room(now);
      long earliest = Math.max(now, limit.admittedAt(1, now));
      if (limit.take(weight(random), now) instanceof LimitAnswer.Receipt receipt) {
        limit.giveBack(receipt, receipt.taken(), receipt.reserved(), now);
        assertThat(limit.balance(now)).as("seed " + seed).isEqualTo(limitBalance);
        assertThat(limit.room(now)).as("seed " + seed).isEqualTo(room);
        assertThat(Math.max(now, limit.admittedAt(1, now))).as("seed " + seed).isEqualTo(earliest);
      }
    }
  }

  @Test
  void chargedBeyondItsCapacity_isPaidByTimeAndNotBefore() {
    Limit limit = limit();
    limit.charge(3 * limit.capacity(), 0, START);
    if (limit.balance(START).equals(LimitBalance.ZERO)) {
      return; // limits of requests are not charged
    }
    long until = limit.admittedAt(1, START);
    assertThat(until).isBetween(START + 1, START + forgets());
    assertThat(limit.decide(Weight.exactly(1), until - 1)).isInstanceOf(LimitAnswer.Wait.class);
    assertThat(limit.decide(Weight.exactly(1), until)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.balance(START + forgets())).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void instantsSlightlyOutOfOrder_giveNothingMore() {
    Limit limit = limit();
    exhaust(limit, 1, START + 1_000);
    for (long late = 1_000; late >= 0; late -= 50) {
      LimitAnswer answer = limit.take(Weight.exactly(1), START + late);
      assertThat(answer).isInstanceOf(LimitAnswer.Wait.class);
      assertThat(((LimitAnswer.Wait) answer).untilNanos()).isGreaterThan(START + late);
      assertSound(limit, START + late);
    }
  }

  @Test
  void yearsLaterAndBackAgain_itIsSound() {
    Limit limit = limit();
    exhaust(limit, 1, START);
    long later = START + 100_000_000 * SECOND;
    assertThat(limit.balance(later)).isEqualTo(LimitBalance.ZERO);
    assertThat(limit.room(later)).isEqualTo(Long.MAX_VALUE);
    exhaust(limit, 1, later);
    for (long now : new long[] {later - 1, START, 0}) {
      assertSound(limit, now);
      limit.decide(Weight.exactly(1), now);
      limit.charge(1, 0, now);
      assertSound(limit, now);
    }
  }

  @Test
  void moreGivenBackThanWasTaken_isNeverMoreThanItsCapacity() {
    Limit limit = limit();
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(Weight.exactly(1), START);
    limit.giveBack(receipt, Long.MAX_VALUE / 4, Long.MAX_VALUE / 4, START);
    assertSound(limit, START);
    long most = exhausting(limit());
    assertThat(exhausting(limit)).isLessThanOrEqualTo(most);
  }

  /** Returns how many amounts of one the limit admits at once. */
  private static long exhausting(Limit limit) {
    long most = 0;
    while (limit.take(Weight.exactly(1), START) instanceof LimitAnswer.Receipt) {
      most++;
    }
    return most;
  }

  @Test
  void fourThreadsTakingAndGivingBack_leaveNothingOwed() throws Exception {
    for (int round = 0; round < 20; round++) {
      Limit limit = limit();
      try (ExecutorService executor = Executors.newFixedThreadPool(4)) {
        List<Future<?>> runs = new ArrayList<>();
        for (long thread = 0; thread < 4; thread++) {
          Random random = new Random(thread);
          runs.add(executor.submit(() -> takeAndGiveBack(limit, random)));
        }
        for (Future<?> run : runs) {
          run.get();
        }
      }
      assertThat(limit.balance(START)).isEqualTo(LimitBalance.ZERO);
    }
  }

  private void takeAndGiveBack(Limit limit, Random random) {
    for (int step = 0; step < 200; step++) {
      if (limit.take(weight(random), START) instanceof LimitAnswer.Receipt receipt) {
        assertSound(limit, START);
        limit.giveBack(receipt, receipt.taken(), receipt.reserved(), START);
      }
    }
  }

  @Test
  void eightThreadsTaking_neverTakeMoreThanOneThreadCould() throws Exception {
    long most = exhausting(limit());
    for (int round = 0; round < 20; round++) {
      assertThat(takenByThreads(limit(), 8)).isEqualTo(most);
    }
  }

  private static long takenByThreads(Limit limit, int threads)
      throws InterruptedException, ExecutionException {
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      CountDownLatch start = new CountDownLatch(1);
      List<Future<Long>> counts = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        counts.add(
            executor.submit(
                () -> {
                  start.await();
                  long taken = 0;
                  while (limit.take(Weight.exactly(1), START) instanceof LimitAnswer.Receipt) {
                    taken++;
                  }
                  return taken;
                }));
      }
      start.countDown();
      long sum = 0;
      for (Future<Long> count : counts) {
        sum += count.get();
      }
      return sum;
    }
  }
}
