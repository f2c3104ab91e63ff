package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MockLimitTest {
  private static final long WINDOW = 60_000_000_000L;

  @Test
  void requests_upToTheLimit_admitted_oneMore_refusedUntilTheFirstLeaves() {
    MockLimit limit = new MockLimit(3, 0, 0, WINDOW);
    for (int i = 0; i < 3; i++) {
      assertThat(limit.take(i, 1, 1).binding()).isNull();
    }
    MockLimit.Verdict over = limit.take(10, 1, 1);
    assertThat(over.binding()).isEqualTo("requests");
    assertThat(over.retryNanos()).isEqualTo(WINDOW - 10);
    assertThat(over.tokens()).isNull();
    assertThat(over.requests()).isEqualTo(new MockLimit.Level(3, 0, 2 + WINDOW - 10));
  }

  @Test
  void windowEdge_oneNanosecondBefore_refused_atIt_admitted() {
    MockLimit limit = new MockLimit(1, 0, 0, WINDOW);
    assertThat(limit.take(5, 1, 1).binding()).isNull();
    assertThat(limit.take(5 + WINDOW - 1, 1, 1).retryNanos()).isEqualTo(1);
    assertThat(limit.take(5 + WINDOW, 1, 1).binding()).isNull();
  }

  @Test
  void tokens_exactlyTheLimit_admitted_oneMore_refused() {
    MockLimit limit = new MockLimit(0, 100, 0, WINDOW);
    assertThat(limit.take(0, 60, 60).tokens()).isEqualTo(new MockLimit.Level(100, 40, WINDOW));
    assertThat(limit.take(1, 41, 41).binding()).isEqualTo("tokens");
    assertThat(limit.take(1, 40, 40).binding()).isNull();
    assertThat(limit.take(2, 61, 61).retryNanos()).isEqualTo(1 + WINDOW - 2);
    assertThat(limit.take(2, 60, 60).retryNanos()).isEqualTo(WINDOW - 2);
  }

  @Test
  void refused_chargesNothing() {
    MockLimit limit = new MockLimit(2, 100, 0, WINDOW);
    assertThat(limit.take(0, 90, 90).binding()).isNull();
    for (int i = 0; i < 5; i++) {
      assertThat(limit.take(1, 20, 20).binding()).isEqualTo("tokens");
    }
    MockLimit.Verdict fits = limit.take(2, 10, 10);
    assertThat(fits.binding()).isNull();
    assertThat(fits.requests()).isEqualTo(new MockLimit.Level(2, 0, WINDOW));
  }

  @Test
  void moreThanTheLimit_neverFits() {
    MockLimit limit = new MockLimit(5, 100, 0, WINDOW);
    MockLimit.Verdict verdict = limit.take(0, 101, 101);
    assertThat(verdict.binding()).isEqualTo("tokens");
    assertThat(verdict.retryNanos()).isEqualTo(-1);
  }

  @Test
  void bothOver_theLongerWaitBinds() {
    MockLimit limit = new MockLimit(2, 100, 0, WINDOW);
    limit.take(0, 10, 10);
    limit.take(100, 90, 90);
    MockLimit.Verdict byTokens = limit.take(200, 50, 50);
    assertThat(byTokens.binding()).isEqualTo("tokens");
    assertThat(byTokens.retryNanos()).isEqualTo(100 + WINDOW - 200);

    MockLimit few = new MockLimit(1, 100, 0, WINDOW);
    few.take(0, 10, 10);
    assertThat(few.take(200, 50, 50).binding()).isEqualTo("requests");
  }

  @Test
  void outputCharged_mayPassTheLimit_andHoldsOthersBack() {
    MockLimit limit = new MockLimit(0, 100, 0, WINDOW);
    limit.take(0, 50, 50);
    limit.charge(10, 70);
    MockLimit.Verdict verdict = limit.take(20, 1, 1);
    assertThat(verdict.tokens()).isEqualTo(new MockLimit.Level(100, 0, 10 + WINDOW - 20));
    assertThat(verdict.retryNanos()).isEqualTo(WINDOW - 20);
    assertThat(limit.take(WINDOW, 30, 30).binding()).isNull();
  }

  @Test
  void unlimited_levelsAreAbsent() {
    MockLimit limit = new MockLimit(0, 0, 0, WINDOW);
    assertThat(limit.take(0, Long.MAX_VALUE, Long.MAX_VALUE))
        .isEqualTo(MockLimit.Verdict.UNLIMITED);
  }

  @Test
  void earlierInstant_countsAsTheNewest() {
    MockLimit limit = new MockLimit(2, 0, 0, WINDOW);
    limit.take(100, 1, 1);
    limit.take(40, 1, 1);
    assertThat(limit.take(40 + WINDOW, 1, 1).binding()).isEqualTo("requests");
    assertThat(limit.take(100 + WINDOW, 1, 1).binding()).isNull();
  }

  @Test
  void manyTakes_agreeWithANaiveCount() {
    Random random = new Random(42);
    MockLimit limit = new MockLimit(40, 1_000, 0, 1_000);
    Deque<long[]> naive = new ArrayDeque<>();
    long now = 0;
    int admitted = 0;
    for (int i = 0; i < 20_000; i++) {
      now += random.nextInt(60);
      long amount = random.nextInt(80);
      while (!naive.isEmpty() && now - naive.peekFirst()[0] >= 1_000) {
        naive.removeFirst();
      }
      long used = naive.stream().mapToLong(entry -> entry[1]).sum();
      boolean fits = naive.size() + 1 <= 40 && used + amount <= 1_000;
      assertThat(limit.take(now, amount, amount).binding() == null)
          .as("take %d", i)
          .isEqualTo(fits);
      if (fits) {
        naive.addLast(new long[] {now, amount});
        admitted++;
      }
    }
    assertThat(admitted).isBetween(5_000, 19_000);
  }
}
