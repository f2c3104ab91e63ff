package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class TariffTest {
  /** 100 in, 40 out expected, 300 stated. */
  private static final Cost COST = new Cost(100, 40, 300);

  /** 90 in, with 30 of them from the cache, and 25 out. */
  private static final Usage USAGE = new Usage(90, 30, 25);

  @ParameterizedTest
  @CsvSource({
    // charge, measure, taken, held, least, dimension, settled, produced of 25
    "TOTAL, REQUESTS, 1, 0, 1, , -1, 0",
    "TOTAL, CONCURRENCY, 0, 1, 0, , -1, 0",
    "TOTAL, TOKENS, 100, 40, 100, TOTAL, 90, 25",
    "TOTAL, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "TOTAL, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "WHOLE, REQUESTS, 1, 0, 1, , -1, 0",
    "WHOLE, CONCURRENCY, 0, 1, 0, , -1, 0",
    "WHOLE, TOKENS, 140, 0, 100, TOTAL, 115, 0",
    "WHOLE, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "WHOLE, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "OPENAI, REQUESTS, 1, 0, 1, , -1, 0",
    "OPENAI, CONCURRENCY, 0, 1, 0, , -1, 0",
    "OPENAI, TOKENS, 300, 0, 100, STATED, -1, 0",
    "OPENAI, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "OPENAI, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "AZURE, REQUESTS, 1, 0, 1, , -1, 0",
    "AZURE, CONCURRENCY, 0, 1, 0, , -1, 0",
    "AZURE, TOKENS, 300, 0, 100, STATED, -1, 0",
    "AZURE, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "AZURE, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "ANTHROPIC, REQUESTS, 1, 0, 1, , -1, 0",
    "ANTHROPIC, CONCURRENCY, 0, 1, 0, , -1, 0",
    "ANTHROPIC, TOKENS, 100, 40, 100, TOTAL, 60, 25",
    "ANTHROPIC, INPUT_TOKENS, 100, 0, 100, INPUT, 60, 0",
    "ANTHROPIC, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "GEMINI, REQUESTS, 1, 0, 1, , -1, 0",
    "GEMINI, CONCURRENCY, 0, 1, 0, , -1, 0",
    "GEMINI, TOKENS, 100, 0, 100, INPUT, 90, 0",
    "GEMINI, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "GEMINI, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "BEDROCK, REQUESTS, 1, 0, 1, , -1, 0",
    "BEDROCK, CONCURRENCY, 0, 1, 0, , -1, 0",
    "BEDROCK, TOKENS, 100, 300, 100, MOST, 60, 125",
    "BEDROCK, INPUT_TOKENS, 100, 0, 100, INPUT, 60, 0",
    "BEDROCK, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
  })
  void everyChargeAndMeasure_addsUpAsItsProviderDoes(
      Charge charge,
      Measure measure,
      long taken,
      long held,
      long least,
      Dimension dimension,
      long settled,
      long produced) {
    Tariff tariff = new Tariff(charge, false, 5);
    assertThat(tariff.weigh(measure, COST)).isEqualTo(new Weight(taken, held, least));
    assertThat(tariff.dimension(measure)).isEqualTo(dimension);
    assertThat(tariff.settled(measure, USAGE)).isEqualTo(settled);
    assertThat(tariff.produced(measure, 25)).isEqualTo(produced);
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
  void settledByUsage_whatWouldBeKeptIsWhatWasUsed(Charge charge, long settled) {
    Tariff tariff = new Tariff(charge, true, 1);
    assertThat(tariff.settled(Measure.TOKENS, USAGE)).isEqualTo(settled);
    assertThat(tariff.settled(Measure.REQUESTS, USAGE)).isEqualTo(Tariff.KEEP);
    assertThat(tariff.weigh(Measure.TOKENS, COST))
        .isEqualTo(Tariff.of(charge).weigh(Measure.TOKENS, COST));
    assertThat(tariff.produced(Measure.TOKENS, 25))
        .isEqualTo(Tariff.of(charge).produced(Measure.TOKENS, 25));
  }

  @ParameterizedTest
  @CsvSource({
    "TOTAL, false", "OPENAI, true", "AZURE, true",
    "ANTHROPIC, false", "GEMINI, false", "BEDROCK, false"
  })
  void refusedCalls_countWhereTheProviderSaysSo(Charge charge, boolean counts) {
    assertThat(charge.countsRejected()).isEqualTo(counts);
  }

  /** A queue compares the same size with the room as a limit will be asked for. */
  @ParameterizedTest
  @EnumSource(Charge.class)
  void dimensionOfATicket_isTheAmountOfItsWeight(Charge charge) {
    Tariff tariff = Tariff.of(charge);
    Cost[] costs = {COST, new Cost(500, 40, 300), new Cost(0, 0, 0), new Cost(7, 8, 0)};
    for (Cost cost : costs) {
      for (Measure measure : Measure.values()) {
        Dimension dimension = tariff.dimension(measure);
        long size = dimension == null ? 1 : dimension.of(cost);
        assertThat(tariff.weigh(measure, cost).amount()).isEqualTo(size);
      }
    }
  }

  @Test
  void openAiWithInputAboveTheStatedMaximum_chargesTheInput() {
    assertThat(Tariff.of(Charge.OPENAI).weigh(Measure.TOKENS, new Cost(500, 40, 300)))
        .isEqualTo(new Weight(500, 0, 500));
  }

  @Test
  void bedrockWithNothingStated_keepsFreeWhatIsExpected() {
    assertThat(Tariff.of(Charge.BEDROCK).weigh(Measure.TOKENS, new Cost(500, 40, 0)))
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
    assertThat(Tariff.burndownOf(model)).isEqualTo(burndown);
    Tariff shared = Tariff.of(Charge.BEDROCK, false, List.of("amazon.nova-pro-v1:0", model));
    assertThat(shared.burndown()).isEqualTo(burndown);
  }

  @Test
  void burndownBelowOne_isRefused() {
    assertThatThrownBy(() -> new Tariff(Charge.BEDROCK, false, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("burndown is 0, expected at least 1");
  }

  @ParameterizedTest
  @EnumSource(Charge.class)
  void answerThatDoesNotSayItsUsage_isSettledWhereTheWholeWasTaken(Charge charge) {
    Tariff tariff = Tariff.of(charge);
    assertThat(tariff.settled(Measure.TOKENS, 70, 25))
        .isEqualTo(charge == Charge.WHOLE ? 95 : Tariff.KEEP);
    assertThat(tariff.settled(Measure.REQUESTS, 70, 25)).isEqualTo(Tariff.KEEP);
    assertThat(tariff.settled(Measure.OUTPUT_TOKENS, 70, 25)).isEqualTo(Tariff.KEEP);
  }
}
