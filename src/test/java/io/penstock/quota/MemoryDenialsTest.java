package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryDenialsTest extends DenialsContract {
  private long now = 100 * MINUTE_MILLIS;

  @Override
  protected Denials denials() {
    return new MemoryDenials(() -> now);
  }

  @Override
  protected void clock(long unixMillis) {
    now = unixMillis;
  }

  @Test
  void expiredWhenAnybodyPublishes_isForgotten_alsoOnceTheClockIsSetBack() {
    Denials denials = denials();
    publish(denials, "east", denial("k", 100, 50));
    clock(102 * MINUTE_MILLIS);
    publish(denials, "east", denial("l", 101, 50));
    clock(101 * MINUTE_MILLIS);
    assertThat(since(denials, "west", Denials.Page.START).denials())
        .containsExactly(denial("l", 101, 50));
  }
}
