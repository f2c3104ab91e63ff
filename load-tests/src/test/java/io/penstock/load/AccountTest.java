package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccountTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void take_beyondTheLimit_isThrottledUntilAMinuteLater() {
    Account account = new Account(100);
    assertThat(account.take(0, 60)).isTrue();
    assertThat(account.take(SECOND, 40)).isTrue();
    assertThat(account.take(60 * SECOND - 1, 1)).isFalse();
    assertThat(account.take(60 * SECOND, 61)).isFalse();
    assertThat(account.take(60 * SECOND, 60)).isTrue();
    assertThat(account.throttled()).isEqualTo(2);
  }

  @Test
  void windows_beginWithTheFirstTake_andAreToldOnceTheyAreOver() {
    Account account = new Account(1_000);
    long first = 5 * SECOND;
    account.take(first, 10);
    account.take(first + 10 * SECOND - 1, 20);
    account.take(first + 20 * SECOND, 30);
    assertThat(account.windows(first + 10 * SECOND - 1, 10 * SECOND)).isEmpty();
    assertThat(account.windows(first + 30 * SECOND, 10 * SECOND)).containsExactly(30L, 0L, 30L);
    assertThat(account.windows(first + 29 * SECOND, 10 * SECOND)).containsExactly(30L, 0L);
  }

  @Test
  void windows_ofNothing_areNone() {
    assertThat(new Account(1).windows(9 * SECOND, SECOND)).isEmpty();
  }
}
