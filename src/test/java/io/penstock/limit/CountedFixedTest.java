package io.penstock.limit;

import static io.penstock.limit.CountedTrailingTest.SHIFT;
import static io.penstock.limit.CountedTrailingTest.cell;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** A fixed window of the Unix clock with counts of others. */
class CountedFixedTest extends LimitContract {
  private static final long WINDOW = 10 * SECOND;
  private static final long BEGIN = cell(WINDOW, START) * WINDOW - SHIFT;

  private static Limit limit(LimitSpec spec, long window, long others) {
    Limit limit = new Limit(spec, START);
    limit
        .sharing()
        .applyPeerCounts(
            PeerCounts.none(window, SHIFT)
                .withReport(cell(window, START), others, Long.MIN_VALUE, SHIFT, START),
            new ShareDemand(() -> {}),
            START);
    return limit;
  }

  @Override
  Limit limit() {
    return limit(new LimitSpec.FixedWindow(100, WINDOW), WINDOW, 40);
  }

  @Override
  long largest() {
    return 60;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.FixedWindow(1_000, WINDOW);
  }

  @Test
  void window_isTheCellOfTheUnixClockWheneverItIsUsedFirst() {
    Limit limit = limit();
    limit.take(Weight.exactly(60), START);
    assertThat(limit.decide(Weight.exactly(1), START))
        .isEqualTo(new LimitAnswer.Wait(BEGIN + WINDOW));
    assertThat(limit.cells(START)).containsExactly(new ChargedCell(BEGIN, 60));
    long later = BEGIN + 5 * WINDOW + 3;
    limit.take(Weight.exactly(100), later);
    assertThat(limit.decide(Weight.exactly(1), later))
        .isEqualTo(new LimitAnswer.Wait(BEGIN + 6 * WINDOW));
  }

  @Test
  void whatWasTakenBeforeOthersCounted_isOfTheRunningWindow() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), START);
    limit.take(Weight.exactly(70), START);
    limit
        .sharing()
        .applyPeerCounts(PeerCounts.none(WINDOW, SHIFT), new ShareDemand(() -> {}), START);
    assertThat(limit.room(START)).isEqualTo(30);
    assertThat(limit.admittedAt(31, START)).isEqualTo(BEGIN + WINDOW);
  }

  @Test
  void wholeWindowOfOthers_opensWithTheNext() {
    Limit limit = limit(new LimitSpec.FixedWindow(100, WINDOW), WINDOW, 130);
    assertThat(limit.room(START)).isZero();
    assertThat(limit.admittedAt(100, START)).isEqualTo(BEGIN + WINDOW);
  }

  @Test
  void dayOfOthers_endsAtItsMidnight() {
    long day = LimitSpec.Day.NANOS;
    ZoneMidnights zoneMidnights =
        new ZoneMidnights(ZoneOffset.UTC, () -> (START + SHIFT) / 1_000_000);
    Limit limit = limit(new LimitSpec.Day(100, zoneMidnights, 0), day, 100);
    assertThat(limit.room(START)).isZero();
    long until = limit.admittedAt(1, START);
    assertThat(until - START).isBetween(0L, day);
    assertThat((until + SHIFT) / SECOND % 86_400).isIn(0L, 86_399L);
  }
}
