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
    assertThat(account.throttledAt()).containsExactly(59_999L, 60_000L);
  }

  @Test
  void taken_isToldFromTheFirstOn_withoutWhatWasThrottled() {
    Account account = new Account(50);
    account.take(5 * SECOND, 10);
    account.take(5 * SECOND, 41);
    account.take(15 * SECOND, 20);
    assertThat(account.taken()).containsExactly(new long[] {0, 10}, new long[] {10_000, 20});
    assertThat(new Account(1).taken()).isEmpty();
  }
}
