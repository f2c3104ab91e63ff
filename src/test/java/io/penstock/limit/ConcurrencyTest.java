package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConcurrencyTest extends LimitContract {
  private static final Weight ONE = new Weight(0, 1, 0);

  private static Limit of(long max) {
    return new Limit(new LimitSpec.Concurrency(max), START);
  }

  @Override
  Limit limit() {
    return of(7);
  }

  @Override
  long largest() {
    return 1;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.Concurrency(70);
  }

  private static LimitAnswer.Receipt taken(Limit limit) {
    return (LimitAnswer.Receipt) limit.take(ONE, START);
  }

  private static void ended(Limit limit, LimitAnswer.Receipt receipt, long now) {
    limit.giveBack(receipt, receipt.taken(), receipt.reserved(), now);
  }

  /** No instant is returned, because none is known: room comes only when a permit is given back. */
  @Override
  @Test
  void exhausted_admitsAtTheInstantItNamesAndNotBefore() {
    Limit limit = of(2);
    LimitAnswer.Receipt first = taken(limit);
    taken(limit);
    assertThat(limit.take(ONE, START)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    assertThat(limit.admittedAt(1, START + 100_000 * SECOND)).isEqualTo(Ticker.NEVER);
    ended(limit, first, START + SECOND);
    assertThat(limit.admittedAt(1, START + SECOND)).isEqualTo(START + SECOND);
    assertThat(limit.take(ONE, START + SECOND)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Override
  @Test
  void yearsLaterAndBackAgain_itIsSound() {
    Limit limit = of(2);
    LimitAnswer.Receipt running = taken(limit);
    long later = START + 100_000_000 * SECOND;
    assertThat(limit.balance(later)).isEqualTo(new LimitBalance(0, 0, 1));
    assertThat(limit.room(later)).isEqualTo(1);
    ended(limit, running, later);
    assertThat(limit.room(0)).isEqualTo(Long.MAX_VALUE);
    assertThat(limit.balance(0)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void loweredBelowWhatRuns_admitsNobodyUntilEnoughEnded() {
    Limit limit = of(3);
    List<LimitAnswer.Receipt> running = List.of(taken(limit), taken(limit), taken(limit));
    limit.resize(new LimitSpec.Concurrency(2), START);
    assertThat(limit.room(START)).isZero();
    assertThat(limit.utilization(START)).isEqualTo(1.0);
    ended(limit, running.get(0), START);
    assertThat(limit.take(ONE, START)).isInstanceOf(LimitAnswer.Wait.class);
    ended(limit, running.get(1), START);
    assertThat(limit.take(ONE, START)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.take(ONE, START)).isInstanceOf(LimitAnswer.Wait.class);
  }

  @Test
  void charges_areNothingToIt() {
    Limit limit = of(3);
    taken(limit);
    limit.charge(1_000, 0, START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(0, 0, 1));
  }

  @Test
  void randomUse_isWhatACountOfThoseThatRunSays() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      long max = 1 + random.nextLong(10);
      Limit limit = of(max);
      List<LimitAnswer.Receipt> running = new ArrayList<>();
      for (int step = 0; step < 500; step++) {
        String where = "seed " + seed + " step " + step;
        assertThat(limit.balance(START).reserved()).as(where).isEqualTo(running.size());
        switch (random.nextInt(10)) {
          case 0 -> {
            max = 1 + random.nextLong(10);
            limit.resize(new LimitSpec.Concurrency(max), START);
          }
          case 1, 2, 3, 4 -> {
            if (!running.isEmpty()) {
              ended(limit, running.remove(random.nextInt(running.size())), START);
            }
          }
          default -> {
            LimitAnswer answer = limit.take(ONE, START);
            assertThat(answer instanceof LimitAnswer.Receipt)
                .as(where)
                .isEqualTo(running.size() < max);
            if (answer instanceof LimitAnswer.Receipt receipt) {
              running.add(receipt);
            }
          }
        }
      }
    }
  }
}
