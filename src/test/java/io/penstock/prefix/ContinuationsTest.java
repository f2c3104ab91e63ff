package io.penstock.prefix;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ContinuationsTest {
  private static final long LIFETIME = 300_000_000_000L;

  private final Continuations continuations = new Continuations();

  @Test
  void differentWays_areCountedOnceEach() {
    assertThat(continuations.seen(1, LIFETIME, 0)).isEqualTo(1);
    assertThat(continuations.seen(1, LIFETIME, 1)).isEqualTo(1);
    assertThat(continuations.seen(2, LIFETIME, 2)).isEqualTo(2);
    assertThat(continuations.seen(1, LIFETIME, 3)).isEqualTo(2);
  }

  @Test
  void way_isForgottenALifetimeAfterItWasSeenLast() {
    continuations.seen(1, LIFETIME, 0);
    continuations.seen(2, LIFETIME, 1);
    continuations.seen(1, LIFETIME, 2);
    assertThat(continuations.seen(3, LIFETIME, LIFETIME)).isEqualTo(3);
    assertThat(continuations.seen(3, LIFETIME, LIFETIME + 1)).as("without 2").isEqualTo(2);
    assertThat(continuations.seen(3, LIFETIME, LIFETIME + 2)).as("without 1").isEqualTo(1);
    assertThat(continuations.seen(3, LIFETIME, 10 * LIFETIME)).as("itself").isEqualTo(1);
  }

  @Test
  void moreWaysThanAreRemembered_forgetThatSeenLongestAgo() {
    for (int way = 1; way <= Continuations.MOST; way++) {
      assertThat(continuations.seen(way, LIFETIME, way)).isEqualTo(way);
    }
    continuations.seen(1, LIFETIME, 50);
    for (int way = 100; way < 10_000; way++) {
      assertThat(continuations.seen(way, LIFETIME, way)).isEqualTo(Continuations.MOST);
    }
    assertThat(continuations.seen(9_999, LIFETIME, LIFETIME + 9_990))
        .as("those seen since, of the last %d", Continuations.MOST)
        .isEqualTo(9);
  }

  @Test
  void instantsOfThreadsThatOvertookEachOther_areHarmless() {
    continuations.seen(1, LIFETIME, 2 * LIFETIME);
    assertThat(continuations.seen(2, LIFETIME, 2 * LIFETIME - 5)).isEqualTo(2);
    assertThat(continuations.seen(3, LIFETIME, Long.MIN_VALUE)).isPositive();
  }
}
