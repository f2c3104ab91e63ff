package io.penstock.sharing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryDenialStoreTest extends DenialStoreContract {
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected DenialStore denials() {
    return new MemoryDenialStore(() -> now);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }

  @Test
  void expiredWhenAnybodyPublishes_isForgotten_alsoOnceTheClockIsSetBack() {
    DenialStore denialStore = denials();
    publish(denialStore, "east", denial("k", 100, 50));
    clock(102 * MINUTE_MILLIS);
    publish(denialStore, "east", denial("l", 101, 50));
    clock(101 * MINUTE_MILLIS);
    assertThat(since(denialStore, "west", DenialStore.Page.START).denials())
        .containsExactly(denial("l", 101, 50));
  }
}
