package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots 100 ms apart, with releases that may come before their slots. */
class StrictEarlyTest extends LimitContract {
  private static final long SLOT = SECOND / 10;
  private static final Weight ONE = Weight.exactly(1);

  private static Limit of(long earlyNanos) {
    return new Limit(new LimitSpec.Strict(new ExactRate(10, 1), earlyNanos), START);
  }

  @Override
  Limit limit() {
    return of(30_000_000);
  }

  @Override
  long largest() {
    return 1;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.Strict(new ExactRate(70, 1), 50_000_000);
  }

  @Test
  void releasesComeEarly_slotsStayWhereTheyAre() {
    Limit limit = limit();
    limit.take(ONE, START);
    for (int slot = 1; slot <= 1_000; slot++) {
      long early = START + slot * SLOT - 30_000_000;
      assertThat(limit.decide(ONE, early - 1)).isEqualTo(new LimitAnswer.Wait(early));
      assertThat(((LimitAnswer.Receipt) limit.take(ONE, early)).cell())
          .isEqualTo(START + slot * SLOT);
    }
  }

  @Test
  void slotGivenBackBeforeItComes_isGivenOutAgain() {
    Limit limit = limit();
    limit.take(ONE, START);
    LimitAnswer.Receipt early = (LimitAnswer.Receipt) limit.take(ONE, START + 70_000_000);
    limit.giveBack(early, 1, 0, START + 80_000_000);
    assertThat(limit.take(ONE, START + 80_000_000)).isEqualTo(early);
  }

  /** Releases as fast as possible, with pauses, never use more slots than there were. */
  @ParameterizedTest
  @ValueSource(longs = {0, 1, 30_000_000, 100_000_000, 250_000_000, 1_000_000_000})
  void anyRun_hasAsManyReleasesAsSlots(long earlyNanos) {
    for (long seed = 1; seed <= 10; seed++) {
      Random random = new Random(seed);
      Limit limit = of(earlyNanos);
      long now = START;
      List<Long> releases = new ArrayList<>();
      for (int step = 0; step < 500; step++) {
        now = Math.max(now, limit.admittedAt(1, now));
        assertThat(limit.take(ONE, now)).isInstanceOf(LimitAnswer.Receipt.class);
        releases.add(now);
        now += random.nextInt(20) == 0 ? random.nextLong(20 * SLOT) : 0;
      }
      assertNoRunAbove(releases, earlyNanos);
    }
  }

  /**
   * Asserts the bound. It allows for releases up to an interval after their slot, which do not move
   * the grid.
   */
  private static void assertNoRunAbove(List<Long> releases, long earlyNanos) {
    for (int from = 0; from < releases.size(); from++) {
      for (int to = from; to < releases.size(); to++) {
        long lasted = releases.get(to) - releases.get(from);
        long most = 1 + (lasted + earlyNanos + SLOT) / SLOT;
        assertThat(to - from + 1L).isLessThanOrEqualTo(most);
      }
    }
  }

  @Test
  void idleForLong_onlyWhatEarlinessAllowsGoesAtOnce() {
    Limit limit = of(250_000_000);
    limit.take(ONE, START);
    long later = START + 3_600 * SECOND;
    for (int atOnce = 0; atOnce < 1 + 2; atOnce++) {
      assertThat(limit.take(ONE, later)).isInstanceOf(LimitAnswer.Receipt.class);
    }
    assertThat(limit.take(ONE, later)).isEqualTo(new LimitAnswer.Wait(later + 50_000_000));
  }

  @Test
  void earlierThanAnyInstant_letsEverythingGo() {
    Limit limit = of(Long.MAX_VALUE);
    for (int taken = 0; taken < 1_000; taken++) {
      assertThat(limit.take(ONE, START)).isInstanceOf(LimitAnswer.Receipt.class);
    }
  }
}
