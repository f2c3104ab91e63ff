package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitBalance;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChargeTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;

  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(1_000, 60 * SECOND, 0, 1_000), NOW);

  private Charge spend(ChargeRule chargeRule, Cost cost) {
    List<Charge> charges = new ArrayList<>();
    Quota quota = new Quota("q", chargeRule, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)));
    assertThat(quota.take(cost, NOW, charges)).isTrue();
    return charges.getFirst();
  }

  private LimitBalance balance(long now) {
    return limit.balance(now);
  }

  @Test
  void output_isMovedFromHeldToChargedOnceInASubCell() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    spend.produce(10, NOW);
    assertThat(spend.roomFreed()).isTrue();
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(110, 0, 40));
    spend.produce(20, NOW + 1);
    assertThat(spend.roomFreed()).isFalse();
    spend.produce(20, NOW + SECOND - 1);
    assertThat(spend.roomFreed()).isFalse();
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(110, 0, 40));
    spend.produce(20, NOW + SECOND);
    assertThat(spend.roomFreed()).isTrue();
    assertThat(balance(NOW + SECOND)).isEqualTo(new LimitBalance(120, 0, 30));
  }

  @Test
  void usageBelowTheCost_isGivenBackWhileItCounts() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    assertThat(spend.settle(new TokenUsage(80, 0, 20), 20, NOW + SECOND)).isZero();
    assertThat(balance(NOW + SECOND)).isEqualTo(new LimitBalance(100, 0, 0));
  }

  @Test
  void usageBelowTheCostAfterItsWindow_givesBackOnlyWhatIsHeld() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    long late = NOW + 100 * SECOND;
    assertThat(spend.settle(new TokenUsage(80, 0, 20), 20, late)).isZero();
    assertThat(balance(late)).isEqualTo(new LimitBalance(20, 0, 0));
  }

  @Test
  void usageAboveTheCost_isChargedAndTheOverrunIsTold() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    assertThat(spend.settle(new TokenUsage(130, 0, 70), 70, NOW)).isEqualTo(30 + 20);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(200, 0, 0));
  }

  @Test
  void inputStatedEarly_givesBackWhatTheCacheHadAndTheEndSettlesTheOutputOnly() {
    Charge charge = spend(ChargeRule.ANTHROPIC, new Cost(800, 50, 0));
    charge.settleInput(new TokenUsage(820, 700, 1), NOW + SECOND);
    assertThat(charge.roomFreed()).isTrue();
    assertThat(balance(NOW + SECOND)).isEqualTo(new LimitBalance(120, 0, 50));
    charge.settleInput(new TokenUsage(820, 700, 1), NOW + SECOND);
    assertThat(charge.roomFreed()).isFalse();
    assertThat(charge.settle(new TokenUsage(820, 700, 30), 30, NOW + 2 * SECOND)).isZero();
    assertThat(balance(NOW + 2 * SECOND)).isEqualTo(new LimitBalance(150, 0, 0));
  }

  @Test
  void answerThatBreaksOffAfterItsInput_keepsWhatWasStated() {
    Charge charge = spend(ChargeRule.ANTHROPIC, new Cost(800, 50, 0));
    charge.settleInput(new TokenUsage(820, 700, 1), NOW);
    charge.produce(10, NOW);
    charge.broken(NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(130, 0, 0));
  }

  @Test
  void chargeAtArrivalThatBreaksOffAfterItsInput_keepsStatedInputAndSeenOutput() {
    Charge charge = spend(ChargeRule.WHOLE, new Cost(500, 300, 0));
    charge.settleInput(new TokenUsage(200, 0, 1), NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(500, 0, 0));
    charge.produce(10, NOW);
    charge.broken(NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(210, 0, 0));
  }

  @Test
  void inputThatGrowsAndFalls_isChargedAsLastStated() {
    Charge charge = spend(ChargeRule.TOTAL, new Cost(100, 0, 0));
    charge.settleInput(new TokenUsage(150, 0, 0), NOW);
    charge.settleInput(new TokenUsage(180, 0, 0), NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(180, 0, 0));
    assertThat(charge.settle(new TokenUsage(160, 0, 0), 0, NOW)).isEqualTo(60);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(160, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({"OPENAI", "AZURE", "BEDROCK"})
  void inputStatedEarly_changesNothingWhereTheProviderKeepsItUntilTheEnd(ChargeRule chargeRule) {
    Charge charge = spend(chargeRule, new Cost(800, 0, 0));
    charge.settleInput(new TokenUsage(800, 700, 1), NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(800, 0, 0));
  }

  @Test
  void openAi_staysChargedWhateverIsUsed() {
    Charge spend = spend(ChargeRule.OPENAI, new Cost(100, 50, 400));
    assertThat(spend.settle(new TokenUsage(10, 0, 1), 1, NOW)).isZero();
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(400, 0, 0));
  }

  @Test
  void openAiSettledByUsage_leavesWhatWasUsed() {
    List<Charge> charges = new ArrayList<>();
    PoolTariff tariff = new PoolTariff(ChargeRule.OPENAI, true, 1);
    new Quota("q", tariff, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)))
        .take(new Cost(100, 50, 400), NOW, charges);
    assertThat(charges.getFirst().settle(new TokenUsage(90, 0, 11), 11, NOW)).isZero();
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(101, 0, 0));
  }

  @Test
  void bedrock_outputCountsFivefoldAndCacheReadsDoNot() {
    List<Charge> charges = new ArrayList<>();
    PoolTariff tariff = new PoolTariff(ChargeRule.BEDROCK, false, 5);
    new Quota("q", tariff, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)))
        .take(new Cost(100, 20, 50), NOW, charges);
    Charge spend = charges.getFirst();
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(100, 0, 50));
    spend.produce(4, NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(120, 0, 30));
    assertThat(spend.settle(new TokenUsage(100, 70, 12), 12, NOW)).isEqualTo(60 - 50);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(30 + 60, 0, 0));
  }

  @Test
  void gemini_outputIsFree() {
    Charge spend = spend(ChargeRule.GEMINI, new Cost(100, 50, 400));
    spend.produce(40, NOW);
    assertThat(spend.settle(new TokenUsage(120, 60, 50), 50, NOW)).isEqualTo(20);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(120, 0, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "TOTAL, 0, 0",
    "OPENAI, 400, 1",
    "AZURE, 400, 1",
    "ANTHROPIC, 0, 0",
    "GEMINI, 0, 1",
    "BEDROCK, 0, 0",
  })
  void refusedByItsProvider_standsWhereRefusedCallsCount(
      ChargeRule chargeRule, long stands, long standsOfRequests) {
    Limit requests = new Limit(new LimitSpec.SlidingWindow(10, 60 * SECOND), NOW);
    Limit running = new Limit(new LimitSpec.Concurrency(10), NOW);
    List<Charge> charges = new ArrayList<>();
    Quota quota =
        new Quota(
            "q",
            chargeRule,
            List.of(
                new MeteredLimit(LimitMeasure.TOKENS, limit),
                new MeteredLimit(LimitMeasure.REQUESTS, requests),
                new MeteredLimit(LimitMeasure.CONCURRENCY, running)));
    quota.take(new Cost(100, 50, 400), NOW, charges);
    charges.forEach(spend -> spend.rejected(NOW + SECOND));
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(stands, 0, 0));
    assertThat(requests.balance(NOW + SECOND).charged()).isEqualTo(standsOfRequests);
    assertThat(running.balance(NOW + SECOND)).isEqualTo(LimitBalance.ZERO);
    assertThat(charges.getLast().roomFreed()).isTrue();
  }

  @Test
  void anthropic_cacheReadsAreGivenBack() {
    Charge spend = spend(ChargeRule.ANTHROPIC, new Cost(100, 50, 400));
    spend.settle(new TokenUsage(100, 90, 50), 50, NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(60, 0, 0));
  }

  @Test
  void noUsage_inputStandsAndOutputIsWhatWasCounted() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    spend.settle(null, 30, NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(130, 0, 0));
  }

  @Test
  void givenBack_leavesNothing() {
    spend(ChargeRule.TOTAL, new Cost(100, 50, 0)).giveBack(NOW + SECOND);
    assertThat(balance(NOW + SECOND)).isEqualTo(LimitBalance.ZERO);
  }

  @Test
  void usageBelowWhatWasCounted_givesBackWhatWasCountedTooMuch() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    spend.produce(40, NOW);
    spend.settle(new TokenUsage(100, 0, 30), 30, NOW);
    assertThat(balance(NOW)).isEqualTo(new LimitBalance(130, 0, 0));
  }

  /** The last sub-cell contains 5 of this answer: the other 40 cannot be taken out of it. */
  @Test
  void usageFarBelowWhatWasCounted_takesNothingFromWhatOthersCharged() {
    Charge spend = spend(ChargeRule.TOTAL, new Cost(100, 50, 0));
    spend.produce(40, NOW);
    spend.produce(45, NOW + 10 * SECOND);
    limit.charge(200, 0, NOW + 10 * SECOND);
    spend.settle(new TokenUsage(100, 0, 0), 0, NOW + 10 * SECOND);
    long firstCellGone = NOW + 61 * SECOND;
    assertThat(balance(firstCellGone)).isEqualTo(new LimitBalance(200, 0, 0));
  }

  @Test
  void limitWithoutWindow_chargesOutputOnce() {
    Limit strict = new Limit(new LimitSpec.Strict(new io.penstock.limit.ExactRate(1, 1), 0), NOW);
    List<Charge> charges = new ArrayList<>();
    Quota quota =
        new Quota("s", ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.REQUESTS, strict)));
    quota.take(new Cost(1, 1, 0), NOW, charges);
    charges.getFirst().produce(1, NOW);
    assertThat(charges.getFirst().roomFreed()).isFalse();
    assertThat(charges.getFirst().settle(new TokenUsage(9, 0, 9), 9, NOW)).isZero();
    assertThat(strict.admittedAt(1, NOW)).isEqualTo(NOW + SECOND);
  }
}
