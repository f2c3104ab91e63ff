package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cost.Weight;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A trailing window of 1,000 a minute with a provider that states something else. */
class TrailingToldTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 2_000 * SECOND;
  private static final long UNSAID = ProviderNotice.UNSTATED;
  private static final LimitSpec.TrailingWindow SPEC =
      new LimitSpec.TrailingWindow(1_000, WINDOW, 0, 1_000);

  private final Limit limit = new Limit(SPEC, NOW);

  private LimitAnswer.Receipt taken(long amount, long now) {
    LimitAnswer answer = limit.take(Weight.exactly(amount), now);
    assertThat(answer).isInstanceOf(LimitAnswer.Receipt.class);
    return (LimitAnswer.Receipt) answer;
  }

  private boolean told(LimitAnswer.Receipt of, long most, long left, long reset, long now) {
    return limit
        .feedback()
        .applyNotice(new ProviderNotice(of.totalTaken(), NOW, most, left, reset), now);
  }

  private static long unlimited(long room) {
    return room == Long.MAX_VALUE ? 1_000 : room;
  }

  @ParameterizedTest
  @CsvSource({
    // left, seconds to the reset, seconds later, room
    "0, 60, 0, 0",
    "0, 60, 15, 250",
    "0, 60, 30, 500",
    "400, 60, 30, 700",
    "400, 10, 5, 700",
    "400, 10, 10, 999",
    "400, 0, 0, 999",
    "999, 60, 0, 999",
    "5000, 60, 0, 999",
  })
  void remaining_growsLinearlyToTheReset(long left, long reset, long later, long room) {
    LimitAnswer.Receipt first = taken(1, NOW);
    told(first, 1_000, left, reset * SECOND, NOW);
    assertThat(limit.room(NOW + later * SECOND)).isEqualTo(room);
  }

  @Test
  void takenAfterTheRequest_isSubtracted_takenBeforeIsNot() {
    taken(100, NOW);
    LimitAnswer.Receipt second = taken(50, NOW);
    taken(30, NOW);
    taken(20, NOW);
    told(second, 1_000, 600, WINDOW, NOW);
    assertThat(limit.room(NOW)).isEqualTo(600 - 50);
    taken(10, NOW);
    assertThat(limit.room(NOW)).isEqualTo(600 - 60);
  }

  @Test
  void heldAfterTheRequest_isSubtracted_andGivenBackComesBack() {
    LimitAnswer.Receipt first = taken(10, NOW);
    told(first, 1_000, 500, WINDOW, NOW);
    LimitAnswer.Receipt second = (LimitAnswer.Receipt) limit.take(new Weight(50, 100, 50), NOW);
    assertThat(limit.room(NOW)).isEqualTo(350);
    limit.charge(40, 40, NOW);
    assertThat(limit.room(NOW)).as("moved from held to charged").isEqualTo(350);
    limit.giveBack(second, 0, 60, NOW);
    assertThat(limit.room(NOW)).isEqualTo(410);
    limit.giveBack(first, 10, 0, NOW);
    assertThat(limit.room(NOW)).as("the provider's remaining knew of it").isEqualTo(410);
  }

  @Test
  void answerToAnEarlierRequest_teachesNothing() {
    LimitAnswer.Receipt first = taken(10, NOW);
    LimitAnswer.Receipt second = taken(10, NOW);
    told(second, 1_000, 300, WINDOW, NOW);
    assertThat(told(first, 700, 900, WINDOW, NOW + SECOND)).isFalse();
    assertThat(limit.room(NOW)).isEqualTo(300);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(1_000);
    assertThat(told(second, 1_000, 600, WINDOW, NOW)).isTrue();
    assertThat(limit.room(NOW)).isEqualTo(600);
  }

  @Test
  void receiptOfALimitThatWasForgotten_teachesNothing() {
    taken(10, NOW);
    limit.feedback().applyNotice(new ProviderNotice(11, NOW, 1_000, 0, WINDOW), NOW);
    assertThat(limit.room(NOW)).isEqualTo(990);
  }

  @Test
  void moreThanTheWindowHas_isNeverGiven() {
    LimitAnswer.Receipt first = taken(900, NOW);
    assertThat(told(first, 100_000, 99_000, WINDOW, NOW)).isFalse();
    assertThat(limit.room(NOW)).isEqualTo(100);
    assertThat(limit.take(Weight.exactly(101), NOW)).isInstanceOf(LimitAnswer.Wait.class);
  }

  @Test
  void remainingWithoutReset_orResetWithoutRemaining_teachesNothing() {
    LimitAnswer.Receipt first = taken(1, NOW);
    told(first, UNSAID, 0, UNSAID, NOW);
    told(first, UNSAID, UNSAID, WINDOW, NOW);
    assertThat(limit.room(NOW)).isEqualTo(999);
    assertThat(limit.feedback().learned(NOW)).isNull();
  }

  @Test
  void noRoom_namesTheInstantItGrowsTo_andAdmitsThenAndNotBefore() {
    LimitAnswer.Receipt first = taken(1, NOW);
    told(first, 1_000, 0, WINDOW, NOW);
    long until = NOW + 15 * SECOND;
    assertThat(limit.take(Weight.exactly(250), NOW)).isEqualTo(new LimitAnswer.Wait(until));
    assertThat(limit.take(Weight.exactly(250), until - 1)).isEqualTo(new LimitAnswer.Wait(until));
    assertThat(limit.take(Weight.exactly(250), until)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.utilization(until)).isEqualTo(1.0);
  }

  @Test
  void moreThanGrowsUntilTheReset_goesAtTheReset() {
    LimitAnswer.Receipt first = taken(1, NOW);
    told(first, 1_000, 0, 10 * SECOND, NOW);
    LimitAnswer.Receipt second = taken(100, NOW + SECOND);
    assertThat(second.taken()).isEqualTo(100);
    assertThat(limit.admittedAt(890, NOW + SECOND)).isEqualTo(NOW + 9_900_000_000L);
    // 901 + 100 were never left before the reset, and 899 is all the window has until charges leave
    // it
    assertThat(limit.admittedAt(899, NOW + SECOND)).isEqualTo(NOW + 9_990_000_000L);
  }

  @Test
  void lowerLimit_isInForceForTwoMinutesFromTheLastAnswerThatSaidSo() {
    LimitAnswer.Receipt first = taken(100, NOW);
    told(first, 700, UNSAID, UNSAID, NOW);
    assertThat(limit.capacity(NOW)).isEqualTo(700);
    assertThat(limit.room(NOW)).isEqualTo(600);
    assertThat(limit.spec()).isEqualTo(SPEC);
    assertThat(limit.capacity()).isEqualTo(1_000);
    told(first, 600, UNSAID, UNSAID, NOW + 100 * SECOND);
    assertThat(limit.capacity(NOW + 219 * SECOND)).isEqualTo(600);
    assertThat(limit.feedback().restoredAt(NOW)).isEqualTo(NOW + 220 * SECOND);
    assertThat(limit.capacity(NOW + 220 * SECOND)).isEqualTo(1_000);
    assertThat(limit.feedback().restoredAt(NOW + 230 * SECOND)).isEqualTo(NOW + 230 * SECOND);
  }

  @Test
  void higherLimitThanLowered_isTakenUpToWhatIsConfigured() {
    LimitAnswer.Receipt first = taken(1, NOW);
    told(first, 700, UNSAID, UNSAID, NOW);
    assertThat(told(first, 800, UNSAID, UNSAID, NOW)).isTrue();
    assertThat(limit.capacity(NOW)).isEqualTo(800);
    assertThat(told(first, 5_000, UNSAID, UNSAID, NOW)).isTrue();
    assertThat(limit.capacity(NOW)).isEqualTo(1_000);
  }

  @Test
  void lowered_waitIsNeverBeyondTheInstantOfGoingBack_unlessTheWindowIsFullThenToo() {
    LimitAnswer.Receipt first = taken(700, NOW);
    told(first, 700, UNSAID, UNSAID, NOW);
    long back = NOW + 120 * SECOND;
    assertThat(limit.admittedAt(1, NOW)).isEqualTo(NOW + 61 * SECOND);
    // its least amount is above the limit in force: it waits for the configured one
    assertThat(limit.take(Weight.exactly(900), NOW)).isEqualTo(new LimitAnswer.Wait(back));
    assertThat(limit.take(new Weight(900, 0, 10), NOW))
        .isEqualTo(new LimitAnswer.Wait(NOW + 61 * SECOND));
    long late = back - SECOND;
    limit.charge(700, 0, late);
    assertThat(limit.admittedAt(200, late)).isEqualTo(back);
    assertThat(limit.admittedAt(700, late)).isEqualTo(back + 60 * SECOND);
    assertThat(limit.take(Weight.exactly(1_001), late)).isEqualTo(new LimitAnswer.Refuse(1_000));
  }

  @Test
  void loweredPace_isThatOfTheLowerLimit_andItsDebtIsPaidAfterwards() {
    Limit paced = new Limit(new LimitSpec.TrailingWindow(1_000, WINDOW, 0, 100), NOW);
    LimitAnswer.Receipt first = (LimitAnswer.Receipt) paced.take(Weight.exactly(100), NOW);
    assertThat(paced.paceAllowsAt(10, NOW)).isEqualTo(NOW + 600_000_000);
    paced
        .feedback()
        .applyNotice(new ProviderNotice(first.totalTaken(), NOW, 500, UNSAID, UNSAID), NOW);
    // with 50 at once, 100 passed: 100 are owed at 500 a minute
    assertThat(paced.paceAllowsAt(10, NOW))
        .isEqualTo(NOW + 12 * SECOND - 6 * SECOND + 1_200_000_000);
    paced
        .feedback()
        .applyNotice(new ProviderNotice(first.totalTaken(), NOW, 1_000, UNSAID, UNSAID), NOW);
    assertThat(paced.paceAllowsAt(10, NOW)).isEqualTo(NOW + 600_000_000);
  }

  @Test
  void reconfiguredWhileLowered_staysLoweredBelowWhatIsConfigured() {
    LimitAnswer.Receipt first = taken(1, NOW);
    told(first, 700, UNSAID, UNSAID, NOW);
    LimitSpec larger = new LimitSpec.TrailingWindow(2_000, WINDOW, 0, 2_000);
    limit.resize(larger, NOW);
    assertThat(limit.spec()).isEqualTo(larger);
    assertThat(limit.capacity(NOW)).isEqualTo(700);
    assertThat(limit.capacity(NOW + 120 * SECOND)).isEqualTo(2_000);
    LimitSpec smaller = new LimitSpec.TrailingWindow(600, WINDOW, 0, 600);
    limit.resize(smaller, NOW);
    assertThat(limit.spec()).isEqualTo(smaller);
    assertThat(limit.capacity(NOW)).isEqualTo(600);
    assertThat(limit.feedback().restoredAt(NOW)).isEqualTo(NOW);
    assertThat(limit.balance(NOW).charged()).isEqualTo(1);
  }

  @Test
  void learned_showsWhatIsLeftByNowAndHowFarTheBeliefWasOff() {
    LimitAnswer.Receipt first = taken(100, NOW);
    taken(100, NOW);
    told(first, 700, 300, 70 * SECOND, NOW);
    LearnedLimit learnedLimit = Objects.requireNonNull(limit.feedback().learned(NOW));
    assertThat(learnedLimit.limit()).isEqualTo(700);
    assertThat(learnedLimit.remaining()).isEqualTo(200);
    assertThat(learnedLimit.resetNanos()).isEqualTo(NOW + 70 * SECOND);
    assertThat(learnedLimit.drift()).isCloseTo((800 - 200) / 700.0, within(1e-9));
    LearnedLimit later = Objects.requireNonNull(limit.feedback().learned(NOW + 35 * SECOND));
    assertThat(later.remaining()).isEqualTo(400);
    LearnedLimit over = Objects.requireNonNull(limit.feedback().learned(NOW + 70 * SECOND));
    assertThat(over.remaining()).isEqualTo(UNSAID);
    assertThat(over.drift()).isEqualTo(learnedLimit.drift());
  }

  @Test
  void absurdNotices_leaveItSound() {
    LimitAnswer.Receipt first = taken(1, NOW);
    for (long most : new long[] {UNSAID, 0, 1, Long.MAX_VALUE}) {
      for (long left : new long[] {UNSAID, 0, Long.MAX_VALUE}) {
        for (long reset : new long[] {UNSAID, 0, 1, Long.MAX_VALUE}) {
          told(first, most, left, reset, NOW);
          assertThat(unlimited(limit.room(NOW))).isBetween(0L, 1_000L);
          assertThat(limit.admittedAt(1, NOW)).isGreaterThanOrEqualTo(NOW);
          assertThat(limit.utilization(NOW)).isBetween(0.0, 1.0);
        }
      }
    }
  }

  @Test
  void otherLimits_areNoProviders() {
    Limit window = new Limit(new LimitSpec.FixedWindow(10, WINDOW), NOW);
    assertThat(window.feedback().applyNotice(new ProviderNotice(0, NOW, 5, 0, WINDOW), NOW))
        .isFalse();
    assertThat(window.room(NOW)).isEqualTo(Long.MAX_VALUE);
    assertThat(window.feedback().learned(NOW)).isNull();
  }
}
