package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrictTest extends LimitContract {
  private static final Weight ONE = Weight.exactly(1);

  private static Limit of(long releases, long seconds) {
    return new Limit(new LimitSpec.Strict(new ExactRate(releases, seconds), 0), START);
  }

  @Override
  Limit limit() {
    return of(7, 60);
  }

  @Override
  long largest() {
    return 1;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.Strict(new ExactRate(70, 60), 0);
  }

  private static long next(Limit limit, long now) {
    return limit.admittedAt(1, now);
  }

  private static LimitAnswer.Receipt taken(Limit limit, long now) {
    return (LimitAnswer.Receipt) limit.take(ONE, now);
  }

  @ParameterizedTest
  @CsvSource({"1, 3", "7, 60", "999999, 1000"})
  void millionSlots_areEachTheCeilingOfTheExactInstant(long releases, long seconds) {
    Limit limit = of(releases, seconds);
    long period = seconds * SECOND;
    long now = START;
    for (long slot = 0; slot < 1_000_000; slot++) {
      long inPeriod = slot % releases;
      // inPeriod × period fits: below 10^6 × 10^12
      long exact = START + slot / releases * period + Math.ceilDiv(inPeriod * period, releases);
      long at = next(limit, now);
      if (at != exact) {
        assertThat(at).as("slot " + slot).isEqualTo(exact);
      }
      now = at;
      taken(limit, now);
    }
  }

  @Test
  void releaseLateByLessThanAnInterval_keepsTheGrid() {
    Limit limit = of(10, 1); // slots 100 ms apart
    taken(limit, START);
    taken(limit, START + 199_999_999);
    assertThat(next(limit, START + 199_999_999)).isEqualTo(START + 200_000_000);
  }

  @Test
  void releaseLateByMoreThanAnInterval_startsTheGridAnew() {
    Limit limit = of(10, 1);
    taken(limit, START);
    long late = START + 100_000_000 + 100_000_001;
    taken(limit, late);
    assertThat(next(limit, late)).isEqualTo(late + 100_000_000);
  }

  @Test
  void intervalBelowFiveMillis_gridStartsAnewOnlyAfterFiveMillis() {
    Limit limit = of(1_000, 1); // slots 1 ms apart
    taken(limit, START);
    long slot = START + 1_000_000;
    taken(limit, slot + 5_000_000);
    assertThat(next(limit, slot + 5_000_000)).isEqualTo(slot + 5_000_000);
    assertThat(limit.admittedAt(1, START)).isEqualTo(slot + 1_000_000);
    Limit other = of(1_000, 1);
    taken(other, START);
    taken(other, slot + 5_000_001);
    assertThat(next(other, slot)).isEqualTo(slot + 5_000_001 + 1_000_000);
  }

  @Test
  void idleForLong_nothingIsBanked() {
    Limit limit = of(10, 1);
    taken(limit, START);
    long later = START + 3_600 * SECOND;
    taken(limit, later);
    assertThat(limit.take(ONE, later)).isEqualTo(new LimitAnswer.Wait(later + 100_000_000));
  }

  @Test
  void lastSlotGivenBack_isGivenOutAgain() {
    Limit limit = of(7, 60);
    taken(limit, START);
    long second = next(limit, START);
    LimitAnswer.Receipt receipt = taken(limit, second);
    limit.giveBack(receipt, 1, 0, second);
    assertThat(next(limit, START)).isEqualTo(second);
  }

  @Test
  void lastSlotOfAPeriodGivenBack_isGivenOutAgain() {
    Limit limit = of(2, 1);
    taken(limit, START);
    LimitAnswer.Receipt last = taken(limit, START + SECOND / 2);
    limit.giveBack(last, 1, 0, START + SECOND / 2);
    assertThat(next(limit, START)).isEqualTo(START + SECOND / 2);
  }

  @Test
  void earlierSlotGivenBack_isLost() {
    Limit limit = of(10, 1);
    LimitAnswer.Receipt first = taken(limit, START);
    taken(limit, START + 100_000_000);
    limit.giveBack(first, 1, 0, START + 100_000_000);
    assertThat(next(limit, START)).isEqualTo(START + 200_000_000);
  }

  @Test
  void resizedWhileBusy_nextSlotIsOneNewIntervalAfterTheLast() {
    Limit limit = of(10, 1);
    taken(limit, START);
    limit.resize(new LimitSpec.Strict(new ExactRate(1, 1), 0), START + 1);
    assertThat(next(limit, START + 1)).isEqualTo(START + SECOND);
  }

  @Test
  void resizedBeforeItsFirstUse_stillLetsTheFirstGoAtOnce() {
    Limit limit = of(10, 1);
    limit.resize(new LimitSpec.Strict(new ExactRate(1, 3_600), 0), START);
    assertThat(limit.take(ONE, START)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(next(limit, START)).isEqualTo(START + 3_600 * SECOND);
  }

  @Test
  void lastSlot_isRememberedUntilTheNextOneComes() {
    Limit limit = of(10, 1);
    assertThat(limit.cells(START)).isEmpty();
    taken(limit, START);
    assertThat(limit.cells(START + 99_999_999)).containsExactly(new ChargedCell(START, 1));
    assertThat(limit.cells(START + 100_000_000)).isEmpty();
  }

  @Test
  void otherAlgorithm_owesNothing() {
    Limit limit = of(10, 1);
    taken(limit, START);
    limit.resize(new LimitSpec.FixedWindow(10, SECOND), START);
    assertThat(limit.spec()).isEqualTo(new LimitSpec.FixedWindow(10, SECOND));
    assertThat(limit.room(START)).isEqualTo(Long.MAX_VALUE);
  }
}
