package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import io.penstock.time.Ticker;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FixedWindowTest extends LimitContract {
  private static final long WINDOW = 10 * SECOND;

  private final Limit limit = limit();

  @Override
  Limit limit() {
    return new Limit(new LimitSpec.FixedWindow(100, WINDOW), START - 3 * SECOND);
  }

  @Override
  long largest() {
    return 100;
  }

  @Override
  LimitSpec larger() {
    return new LimitSpec.FixedWindow(1_000, WINDOW);
  }

  private LimitAnswer take(long amount, long now) {
    return limit.take(Weight.exactly(amount), now);
  }

  private LimitAnswer.Receipt taken(long amount, long now) {
    return (LimitAnswer.Receipt) take(amount, now);
  }

  @Test
  void firstUse_startsTheWindow() {
    taken(100, START);
    assertThat(take(1, START)).isEqualTo(new LimitAnswer.Wait(START + WINDOW));
    assertThat(take(1, START + WINDOW - 1)).isEqualTo(new LimitAnswer.Wait(START + WINDOW));
    assertThat(take(100, START + WINDOW)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void heldAcrossWindows_theyFollowWithoutGapAndCarryNothing() {
    limit.take(new Weight(0, 10, 0), START);
    taken(1, START + WINDOW + 5);
    assertThat(take(90, START + 2 * WINDOW - 1))
        .isEqualTo(new LimitAnswer.Wait(START + 2 * WINDOW));
    taken(90, START + 2 * WINDOW);
    assertThat(take(1, START + 2 * WINDOW)).isEqualTo(new LimitAnswer.Wait(START + 3 * WINDOW));
  }

  @Test
  void nothingOwedAnyMore_nextUseStartsANewGrid() {
    taken(100, START);
    long later = START + 3 * WINDOW + 7;
    taken(100, later);
    assertThat(take(1, later)).isEqualTo(new LimitAnswer.Wait(later + WINDOW));
  }

  @Test
  void whatFits_goesAsSoonAsItFits() {
    taken(90, START);
    assertThat(take(11, START)).isInstanceOf(LimitAnswer.Wait.class);
    assertThat(take(10, START)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void inputAboveCapacity_isRefusedAndOnlyThat() {
    assertThat(take(101, START)).isEqualTo(new LimitAnswer.Refuse(100));
    assertThat(limit.decide(Weight.exactly(101), START)).isEqualTo(new LimitAnswer.Refuse(100));
    assertThat(take(100, START)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void expectationAboveCapacity_isCutToWhatFits() {
    LimitAnswer.Receipt receipt =
        (LimitAnswer.Receipt) limit.take(new Weight(60, 1_000, 60), START);
    assertThat(receipt.taken()).isEqualTo(60);
    assertThat(receipt.reserved()).isEqualTo(40);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(60, 0, 40));
  }

  @Test
  void usageBeyondCapacity_isPaidByTheWindowsThatFollow() {
    taken(100, START);
    limit.charge(250, 0, START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(100, 250, 0));
    assertThat(limit.balance(START + WINDOW)).isEqualTo(new LimitBalance(100, 150, 0));
    assertThat(limit.balance(START + 2 * WINDOW)).isEqualTo(new LimitBalance(100, 50, 0));
    assertThat(limit.balance(START + 3 * WINDOW)).isEqualTo(new LimitBalance(50, 0, 0));
    assertThat(limit.balance(START + 4 * WINDOW)).isEqualTo(LimitBalance.ZERO);
    assertThat(take(50, START)).isEqualTo(new LimitAnswer.Wait(START + 3 * WINDOW));
    assertThat(take(51, START)).isEqualTo(new LimitAnswer.Wait(START + 4 * WINDOW));
    assertThat(take(50, START + 3 * WINDOW)).isInstanceOf(LimitAnswer.Receipt.class);
  }

  @Test
  void debtOfManyWindows_isTheSameLookedAtOnceOrOften() {
    taken(1, START);
    limit.charge(1_050, 0, START);
    LimitBalance atOnce = limit.balance(START + 7 * WINDOW);
    for (int window = 1; window <= 7; window++) {
      limit.charge(0, 0, START + window * WINDOW);
    }
    assertThat(limit.balance(START + 7 * WINDOW)).isEqualTo(atOnce);
    assertThat(atOnce).isEqualTo(new LimitBalance(100, 251, 0));
  }

  @Test
  void held_countsAgainstEveryWindowUntilItIsLetGo() {
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(new Weight(20, 30, 20), START);
    long third = START + 3 * WINDOW;
    // With 30 reserved, 71 fit only after a release of reserved output.
    assertThat(take(71, third)).isEqualTo(new LimitAnswer.Wait(Ticker.NEVER));
    taken(70, third);
    limit.giveBack(receipt, 0, 30, third + 1);
    assertThat(limit.balance(third + 1)).isEqualTo(new LimitBalance(70, 0, 0));
    taken(30, third + 1);
  }

  @Test
  void refund_onlyInTheWindowItWasTakenFrom() {
    LimitAnswer.Receipt first = taken(40, START);
    limit.giveBack(first, 15, 0, START + WINDOW - 1);
    assertThat(limit.balance(START + WINDOW - 1).charged()).isEqualTo(25);
    taken(1, START + WINDOW);
    limit.giveBack(first, 25, 0, START + WINDOW);
    assertThat(limit.balance(START + WINDOW)).isEqualTo(new LimitBalance(1, 0, 0));
  }

  @Test
  void refundWhileOverCapacity_forgivesDebtFirst() {
    LimitAnswer.Receipt first = taken(60, START);
    limit.charge(70, 0, START);
    limit.giveBack(first, 40, 0, START);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(90, 0, 0));
  }

  @Test
  void chargeOfWhatWasHeld_movesItIntoTheRunningWindow() {
    limit.take(new Weight(10, 50, 10), START);
    limit.charge(20, 20, START + WINDOW);
    assertThat(limit.balance(START + WINDOW)).isEqualTo(new LimitBalance(20, 0, 30));
  }

  @Test
  void smallerCapacity_whatIsAboveBecomesDebt() {
    taken(90, START);
    limit.resize(new LimitSpec.FixedWindow(40, WINDOW), START + 1);
    assertThat(limit.balance(START + 1)).isEqualTo(new LimitBalance(40, 50, 0));
    assertThat(limit.admittedAt(30, START + 1)).isEqualTo(START + 2 * WINDOW);
    limit.resize(new LimitSpec.FixedWindow(100, WINDOW), START + 2);
    assertThat(limit.balance(START + 2)).isEqualTo(new LimitBalance(90, 0, 0));
  }

  @Test
  void otherWindowLength_startsANewWindowWithAllThatIsOwed() {
    limit.take(new Weight(80, 10, 80), START);
    limit.charge(40, 0, START);
    limit.resize(new LimitSpec.FixedWindow(100, 2 * SECOND), START + SECOND);
    assertThat(limit.balance(START + SECOND)).isEqualTo(new LimitBalance(100, 20, 10));
    assertThat(take(60, START + SECOND)).isEqualTo(new LimitAnswer.Wait(START + 3 * SECOND));
  }

  @Test
  void instantsSlightlyOutOfOrder_neverOpenASecondWindow() {
    taken(60, START + 100);
    taken(40, START);
    assertThat(take(1, START + 50)).isInstanceOf(LimitAnswer.Wait.class);
    assertThat(limit.balance(START)).isEqualTo(new LimitBalance(100, 0, 0));
  }

  @Test
  void randomCosts_neverAboveCapacityInAnyWindowOfTheGrid() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      Limit random100 = limit();
      Map<Long, Long> windows = new HashMap<>();
      long now = START;
      for (int step = 0; step < 2_000; step++) {
        now += random.nextLong(SECOND);
        Weight weight = Weight.exactly(1 + random.nextInt(60));
        if (random100.take(weight, now) instanceof LimitAnswer.Receipt receipt) {
          assertThat(now - receipt.cell()).isBetween(0L, WINDOW - 1);
          windows.merge(receipt.cell(), receipt.taken(), Long::sum);
        }
      }
      assertThat(windows.values()).as("seed " + seed).allMatch(sum -> sum <= 100);
      long[] starts = windows.keySet().stream().mapToLong(Long::longValue).sorted().toArray();
      for (int at = 1; at < starts.length; at++) {
        assertThat(starts[at] - starts[at - 1]).isGreaterThanOrEqualTo(WINDOW);
      }
    }
  }
}
