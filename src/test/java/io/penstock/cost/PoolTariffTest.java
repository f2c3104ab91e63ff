package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PoolTariffTest {
  /** 100 in, 40 out expected, 300 stated. */
  private static final Cost COST = new Cost(100, 40, 300);

  /** 90 in, with 30 of them from the cache, and 25 out. */
  private static final TokenUsage USAGE = new TokenUsage(90, 30, 25);

  @ParameterizedTest
  @CsvSource({
    // charge, measure, taken, held, least, whole, dimension, settled, produced of 25
    "TOTAL, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "TOTAL, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "TOTAL, TOKENS, 100, 40, 100, 100, TOTAL, 90, 25",
    "TOTAL, INPUT_TOKENS, 100, 0, 100, 100, INPUT, 90, 0",
    "TOTAL, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
    "WHOLE, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "WHOLE, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "WHOLE, TOKENS, 140, 0, 100, 100, TOTAL, 115, 0",
    "WHOLE, INPUT_TOKENS, 100, 0, 100, 100, INPUT, 90, 0",
    "WHOLE, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
    "OPENAI, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "OPENAI, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "OPENAI, TOKENS, 300, 0, 100, 300, STATED, -1, 0",
    "OPENAI, INPUT_TOKENS, 100, 0, 100, 100, INPUT, 90, 0",
    "OPENAI, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
    "AZURE, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "AZURE, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "AZURE, TOKENS, 300, 0, 100, 300, STATED, -1, 0",
    "AZURE, INPUT_TOKENS, 100, 0, 100, 100, INPUT, 90, 0",
    "AZURE, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
    "ANTHROPIC, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "ANTHROPIC, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "ANTHROPIC, TOKENS, 100, 40, 100, 100, UNCACHED_TOTAL, 60, 25",
    "ANTHROPIC, INPUT_TOKENS, 100, 0, 100, 100, UNCACHED, 60, 0",
    "ANTHROPIC, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
    "GEMINI, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "GEMINI, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "GEMINI, TOKENS, 100, 0, 100, 100, INPUT, 90, 0",
    "GEMINI, INPUT_TOKENS, 100, 0, 100, 100, INPUT, 90, 0",
    "GEMINI, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
    "BEDROCK, REQUESTS, 1, 0, 1, 1, , -1, 0",
    "BEDROCK, CONCURRENCY, 0, 1, 0, 0, , -1, 0",
    "BEDROCK, TOKENS, 100, 300, 100, 400, MOST, 60, 125",
    "BEDROCK, INPUT_TOKENS, 100, 0, 100, 100, INPUT, 60, 0",
    "BEDROCK, OUTPUT_TOKENS, 0, 40, 0, 0, OUTPUT, -1, 25",
  })
  void everyChargeAndMeasure_addsUpAsItsProviderDoes(
      ChargeRule chargeRule,
      LimitMeasure limitMeasure,
      long taken,
      long reserved,
      long least,
      long whole,
      CostDimension costDimension,
      long settled,
      long produced) {
    PoolTariff tariff = new PoolTariff(chargeRule, false, 5);
    assertThat(tariff.weigh(limitMeasure, COST))
        .isEqualTo(new Weight(taken, reserved, least, whole));
    assertThat(tariff.dimension(limitMeasure)).isEqualTo(costDimension);
    assertThat(tariff.settled(limitMeasure, USAGE)).isEqualTo(settled);
    assertThat(tariff.produced(limitMeasure, 25)).isEqualTo(produced);
  }

  @ParameterizedTest
  @CsvSource({
    "TOTAL, 90",
    "OPENAI, 115",
    "AZURE, 115",
    "ANTHROPIC, 60",
    "GEMINI, 90",
    "BEDROCK, 60"
  })
  void settledByUsage_whatWouldBeKeptIsWhatWasUsed(ChargeRule chargeRule, long settled) {
    PoolTariff tariff = new PoolTariff(chargeRule, true, 1);
    assertThat(tariff.settled(LimitMeasure.TOKENS, USAGE)).isEqualTo(settled);
    assertThat(tariff.settled(LimitMeasure.REQUESTS, USAGE)).isEqualTo(PoolTariff.KEEP);
    assertThat(tariff.weigh(LimitMeasure.TOKENS, COST))
        .isEqualTo(PoolTariff.of(chargeRule).weigh(LimitMeasure.TOKENS, COST));
    assertThat(tariff.produced(LimitMeasure.TOKENS, 25))
        .isEqualTo(PoolTariff.of(chargeRule).produced(LimitMeasure.TOKENS, 25));
  }

  @ParameterizedTest
  @CsvSource({
    // charge, whether refusals for limits count, whether tokens of refused calls count
    "TOTAL, false, false",
    "OPENAI, true, true",
    "AZURE, true, true",
    "ANTHROPIC, false, false",
    "GEMINI, true, false",
    "BEDROCK, false, false"
  })
  void refusedCalls_countWhereTheProviderSaysSo(
      ChargeRule chargeRule, boolean counts, boolean withTokens) {
    assertThat(chargeRule.countsRejected()).isEqualTo(counts);
    assertThat(chargeRule.countsRefused()).isEqualTo(withTokens);
  }

  /** A queue compares the same size with the room as a limit will be asked for. */
  @ParameterizedTest
  @EnumSource(ChargeRule.class)
  void dimensionOfATicket_isTheAmountOfItsWeight(ChargeRule chargeRule) {
    PoolTariff tariff = PoolTariff.of(chargeRule);
    Cost[] costs = {COST, new Cost(500, 40, 300), new Cost(0, 0, 0), new Cost(7, 8, 0)};
    for (Cost cost : costs) {
      for (LimitMeasure limitMeasure : LimitMeasure.values()) {
        CostDimension costDimension = tariff.dimension(limitMeasure);
        long size = costDimension == null ? 1 : costDimension.of(cost);
        assertThat(tariff.weigh(limitMeasure, cost).amount()).isEqualTo(size);
      }
    }
  }

  @Test
  void openAiWithInputAboveTheStatedMaximum_chargesTheInput() {
    assertThat(PoolTariff.of(ChargeRule.OPENAI).weigh(LimitMeasure.TOKENS, new Cost(500, 40, 300)))
        .isEqualTo(new Weight(500, 0, 500));
  }

  @Test
  void bedrockWithNothingStated_keepsFreeWhatIsExpected() {
    assertThat(PoolTariff.of(ChargeRule.BEDROCK).weigh(LimitMeasure.TOKENS, new Cost(500, 40, 0)))
        .isEqualTo(new Weight(500, 40, 500));
  }

  @ParameterizedTest
  @CsvSource({
    "anthropic.claude-v2:1, 1",
    "anthropic.claude-instant-v1, 1",
    "anthropic.claude-3-haiku-20240307-v1:0, 1",
    "us.anthropic.claude-3-5-sonnet-20241022-v2:0, 1",
    "us.anthropic.claude-3-7-sonnet-20250219-v1:0, 5",
    "anthropic.claude-opus-4-20250514-v1:0, 5",
    "global.anthropic.claude-sonnet-4-5-20250929-v1:0, 5",
    "anthropic.claude-sonnet-12-v1:0, 5",
    "amazon.nova-pro-v1:0, 1",
    "*, 1",
  })
  void burndown_isFiveForClaudeFromThreeSevenOn(String model, int burndown) {
    assertThat(PoolTariff.burndownOf(model)).isEqualTo(burndown);
    PoolTariff shared =
        PoolTariff.of(ChargeRule.BEDROCK, false, 20, List.of("amazon.nova-pro-v1:0", model));
    assertThat(shared.burndown()).isEqualTo(burndown);
  }

  @Test
  void burndownBelowOne_isRefused() {
    assertThatThrownBy(() -> new PoolTariff(ChargeRule.BEDROCK, false, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("burndown is 0, expected at least 1");
  }

  @ParameterizedTest
  @EnumSource(ChargeRule.class)
  void answerThatDoesNotSayItsUsage_isSettledWhereTheWholeWasTaken(ChargeRule chargeRule) {
    PoolTariff tariff = PoolTariff.of(chargeRule);
    assertThat(tariff.settled(LimitMeasure.TOKENS, 70, 25))
        .isEqualTo(chargeRule == ChargeRule.WHOLE ? 95 : PoolTariff.KEEP);
    assertThat(tariff.settled(LimitMeasure.REQUESTS, 70, 25)).isEqualTo(PoolTariff.KEEP);
    assertThat(tariff.settled(LimitMeasure.OUTPUT_TOKENS, 70, 25)).isEqualTo(PoolTariff.KEEP);
  }

  @ParameterizedTest
  @CsvSource({"20, 60, 100, 60", "0, 100, 100, 100"})
  void expectedReads_areNoCertainInputOfAnthropic(
      int cacheTrust, long least, long taken, long whole) {
    PoolTariff tariff = new PoolTariff(ChargeRule.ANTHROPIC, false, 1, cacheTrust);
    Cost cost = new Cost(100, 40, 0, 40);
    assertThat(tariff.weigh(LimitMeasure.INPUT_TOKENS, cost))
        .isEqualTo(new Weight(taken, 0, least, whole));
    assertThat(tariff.inputDimension().of(cost)).isEqualTo(least);
    assertThat(tariff.discountBound(1_000)).isEqualTo(cacheTrust * 10L);
  }

  @Test
  void trustOutsideOfPercent_isRejected() {
    assertThatThrownBy(() -> new PoolTariff(ChargeRule.ANTHROPIC, false, 1, 101))
        .hasMessageContaining("cacheTrust is 101");
  }
}
