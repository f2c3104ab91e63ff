package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RetryBudgetTest {
  private static final long SECOND = 1_000_000_000L;

  private long now = -7 * SECOND + 3;
  private final RetryBudget budget = new RetryBudget(now);

  private void sent(int requests) {
    for (int i = 0; i < requests; i++) {
      budget.sent(now);
    }
  }

  /** Returns how many retries are allowed in a row. */
  private int retries() {
    int count = 0;
    while (budget.retry(now)) {
      count++;
    }
    return count;
  }

  @Test
  void noRequests_tenRetries() {
    assertThat(retries()).isEqualTo(10);
  }

  @Test
  void hundredRequests_aTenthMore() {
    sent(100);
    assertThat(retries()).isEqualTo(20);
  }

  @Test
  void nineRequests_noneMore() {
    sent(9);
    assertThat(retries()).isEqualTo(10);
  }

  @Test
  void requestsOfTheLastSecond_count() {
    sent(50);
    now += SECOND - SECOND / 10;
    sent(50);
    assertThat(retries()).isEqualTo(20);
  }

  @Test
  void requestsOlderThanASecond_countNoMore() {
    sent(100);
    now += SECOND;
    assertThat(retries()).isEqualTo(10);
  }

  @Test
  void retriesOlderThanASecond_areFreeAgain() {
    assertThat(retries()).isEqualTo(10);
    now += SECOND / 2;
    assertThat(retries()).isZero();
    now += SECOND / 2;
    assertThat(retries()).isEqualTo(10);
  }

  @Test
  void longIdle_leavesNothing() {
    sent(1_000);
    retries();
    now += 1_000_000 * SECOND;
    assertThat(retries()).isEqualTo(10);
  }

  @Test
  void clockOfAnotherThreadThatIsBehind_countsInTheYoungest() {
    now += SECOND;
    sent(1);
    now -= SECOND / 2;
    sent(99);
    assertThat(retries()).isEqualTo(20);
  }

  @Test
  void requests_countForASecondWhenEverTheyCame() {
    now += SECOND / 2;
    sent(100);
    now += SECOND - SECOND / 10;
    assertThat(retries()).isEqualTo(20);
    now += SECOND / 10;
    assertThat(retries()).as("only the retries of just now count").isZero();
    now += SECOND - SECOND / 10;
    assertThat(retries()).isEqualTo(10);
  }
}
