package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.limit.Balance;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpendTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;

  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(1_000, 60 * SECOND, 0, 1_000), NOW);

  private Spend spend(Charge charge, Cost cost) {
    List<Spend> spends = new ArrayList<>();
    Quota quota = new Quota("q", charge, List.of(new Metered(Measure.TOKENS, limit)));
    assertThat(quota.take(cost, NOW, spends)).isTrue();
    return spends.getFirst();
  }

  private Balance balance(long now) {
    return limit.balance(now);
  }

  @Test
  void output_isMovedFromHeldToChargedOnceInASubCell() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    spend.produce(10, NOW);
    assertThat(spend.eased()).isTrue();
    assertThat(balance(NOW)).isEqualTo(new Balance(110, 0, 40));
    spend.produce(20, NOW + 1);
    assertThat(spend.eased()).isFalse();
    spend.produce(20, NOW + SECOND - 1);
    assertThat(spend.eased()).isFalse();
    assertThat(balance(NOW)).isEqualTo(new Balance(110, 0, 40));
    spend.produce(20, NOW + SECOND);
    assertThat(spend.eased()).isTrue();
    assertThat(balance(NOW + SECOND)).isEqualTo(new Balance(120, 0, 30));
    assertThat(spend.reserved()).isEqualTo(150);
  }

  @Test
  void usageBelowTheCost_isGivenBackWhileItCounts() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    assertThat(spend.settle(new Usage(80, 0, 20), 20, NOW + SECOND)).isZero();
    assertThat(balance(NOW + SECOND)).isEqualTo(new Balance(100, 0, 0));
  }

  @Test
  void usageBelowTheCostAfterItsWindow_givesBackOnlyWhatIsHeld() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    long late = NOW + 100 * SECOND;
    assertThat(spend.settle(new Usage(80, 0, 20), 20, late)).isZero();
    assertThat(balance(late)).isEqualTo(new Balance(20, 0, 0));
  }

  @Test
  void usageAboveTheCost_isChargedAndTheOverrunIsTold() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    assertThat(spend.settle(new Usage(130, 0, 70), 70, NOW)).isEqualTo(30 + 20);
    assertThat(balance(NOW)).isEqualTo(new Balance(200, 0, 0));
  }

  @Test
  void openAi_staysChargedWhateverIsUsed() {
    Spend spend = spend(Charge.OPENAI, new Cost(100, 50, 400));
    assertThat(spend.settle(new Usage(10, 0, 1), 1, NOW)).isZero();
    assertThat(balance(NOW)).isEqualTo(new Balance(400, 0, 0));
  }

  @Test
  void anthropic_cacheReadsAreGivenBack() {
    Spend spend = spend(Charge.ANTHROPIC, new Cost(100, 50, 400));
    spend.settle(new Usage(100, 90, 50), 50, NOW);
    assertThat(balance(NOW)).isEqualTo(new Balance(60, 0, 0));
  }

  @Test
  void noUsage_inputStandsAndOutputIsWhatWasCounted() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    spend.settle(null, 30, NOW);
    assertThat(balance(NOW)).isEqualTo(new Balance(130, 0, 0));
  }

  @Test
  void givenBack_leavesNothing() {
    spend(Charge.TOTAL, new Cost(100, 50, 0)).giveBack(NOW + SECOND);
    assertThat(balance(NOW + SECOND)).isEqualTo(Balance.ZERO);
  }

  @Test
  void usageBelowWhatWasCounted_givesBackWhatWasCountedTooMuch() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    spend.produce(40, NOW);
    spend.settle(new Usage(100, 0, 30), 30, NOW);
    assertThat(balance(NOW)).isEqualTo(new Balance(130, 0, 0));
  }

  /** The last sub-cell holds 5 of this answer: the other 35 cannot be taken out of it. */
  @Test
  void usageFarBelowWhatWasCounted_takesNothingFromWhatOthersCharged() {
    Spend spend = spend(Charge.TOTAL, new Cost(100, 50, 0));
    spend.produce(40, NOW);
    spend.produce(45, NOW + 10 * SECOND);
    limit.charge(200, 0, NOW + 10 * SECOND);
    spend.settle(new Usage(100, 0, 0), 0, NOW + 10 * SECOND);
    long firstCellGone = NOW + 61 * SECOND;
    assertThat(balance(firstCellGone)).isEqualTo(new Balance(200, 0, 0));
  }

  @Test
  void limitWithoutWindow_chargesOutputOnce() {
    Limit strict = new Limit(new LimitSpec.Strict(new io.penstock.limit.Rate(1, 1)), NOW);
    List<Spend> spends = new ArrayList<>();
    Quota quota = new Quota("s", Charge.TOTAL, List.of(new Metered(Measure.REQUESTS, strict)));
    quota.take(new Cost(1, 1, 0), NOW, spends);
    spends.getFirst().produce(1, NOW);
    assertThat(spends.getFirst().eased()).isFalse();
    assertThat(spends.getFirst().settle(new Usage(9, 0, 9), 9, NOW)).isZero();
    assertThat(strict.earliest(1, NOW)).isEqualTo(NOW + SECOND);
  }
}
