package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

/** The pace of a trailing window: 600 a minute, 50 at once, then 10 a second. */
class TrailingPaceTest extends LimitContract {
  private static final long WINDOW = 60 * SECOND;

  private final Limit limit = limit();

  @Override
  Limit limit() {
    return new Limit(new LimitSpec.TrailingWindow(600, WINDOW, 50_000_000, 50), START - SECOND);
  }

  @Override
  long largest() {
    return 200;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.TrailingWindow(1_200, WINDOW, 50_000_000, 100);
  }

  private LimitAnswer take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now);
  }

  private LimitAnswer.Receipt taken(long amount, long now) {
    return (LimitAnswer.Receipt) take(amount, now);
  }

  @Test
  void burst_goesAtOnceThenTheSteadyRate() {
    for (int one = 0; one < 50; one++) {
      taken(1, START);
    }
    long now = START;
    for (int one = 0; one < 100; one++) {
      now += SECOND / 10;
      assertThat(take(1, now - 1)).isEqualTo(new LimitAnswer.Wait(now));
      taken(1, now);
    }
  }

  @Test
  void idleForLong_banksNoMoreThanTheBurst() {
    taken(50, START);
    long later = START + 30 * SECOND;
    taken(50, later);
    assertThat(take(1, later)).isEqualTo(new LimitAnswer.Wait(later + SECOND / 10));
  }

  @Test
  void costAboveTheBurst_goesWhenItIsWholeAndTakesItNegative() {
    taken(20, START);
    assertThat(take(150, START)).isEqualTo(new LimitAnswer.Wait(START + 2 * SECOND));
    taken(150, START + 2 * SECOND);
    // 100 below zero: 10 s until the first is back
    assertThat(take(1, START + 2 * SECOND))
        .isEqualTo(new LimitAnswer.Wait(START + 12 * SECOND + SECOND / 10));
    assertThat(take(50, START + 2 * SECOND)).isEqualTo(new LimitAnswer.Wait(START + 17 * SECOND));
  }

  @Test
  void givenBack_isBackInThePaceToo() {
    LimitAnswer.Receipt receipt = taken(50, START);
    limit.giveBack(receipt, 30, 0, START);
    taken(30, START);
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + SECOND / 10));
  }

  @Test
  void givenBackLate_banksNoMoreThanTheBurst() {
    LimitAnswer.Receipt receipt = taken(50, START);
    long later = START + 20 * SECOND;
    limit.giveBack(receipt, 50, 0, later);
    taken(50, later);
    assertThat(take(1, later)).isEqualTo(new LimitAnswer.Wait(later + SECOND / 10));
  }

  @Test
  void held_isPacedAtReleaseAndNotOnceMoreWhenProduced() {
    limit.take(new Weight(10, 40, 10), START);
    limit.charge(40, 40, START);
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + SECOND / 10));
  }

  @Test
  void usageAboveWhatWasHeld_slowsThePace() {
    limit.take(new Weight(10, 10, 10), START);
    limit.charge(60, 10, START);
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + 2 * SECOND + SECOND / 10));
  }

  @Test
  void usageFarAboveTheLimit_slowsThePaceForNoLongerThanAWindow() {
    limit.charge(1L << 40, 0, START);
    long later = START + SECOND + WINDOW + 50_000_000 + 5 * SECOND;
    assertThat(take(1, later)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void largerLimit_keepsTheShareOfTheBurstThatIsOwed() {
    taken(50, START);
    limit.resize(larger(), START);
    // 50 are owed of 100: the rest may go, then 20 a second
    taken(50, START);
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + SECOND / 20));
  }

  @Test
  void unevenRate_burstStillGoesAtOnce() {
    Limit uneven = new Limit(new LimitSpec.TrailingWindow(7_000, WINDOW, 0, 583), START - SECOND);
    for (int one = 0; one < 583; one++) {
      assertThat(uneven.take(Weight.exactly(1), START)).isInstanceOf(LimitAnswer.Receipt.class);
    }
    assertThat(uneven.take(Weight.exactly(1), START)).isInstanceOf(LimitAnswer.Wait.class);
  }
}
