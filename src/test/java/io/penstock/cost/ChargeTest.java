package io.penstock.cost;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ChargeTest {
  /** 100 in, 40 out expected, 300 stated. */
  private static final Cost COST = new Cost(100, 40, 300);

  /** 90 in of which 30 from the cache, 25 out. */
  private static final Usage USAGE = new Usage(90, 30, 25);

  @ParameterizedTest
  @CsvSource({
    // charge, measure, taken, held, least, dimension, settled, produced of 25
    "TOTAL, REQUESTS, 1, 0, 1, , -1, 0",
    "TOTAL, TOKENS, 100, 40, 100, TOTAL, 90, 25",
    "TOTAL, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "TOTAL, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "OPENAI, REQUESTS, 1, 0, 1, , -1, 0",
    "OPENAI, TOKENS, 300, 0, 100, STATED, -1, 0",
    "OPENAI, INPUT_TOKENS, 100, 0, 100, INPUT, 90, 0",
    "OPENAI, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
    "ANTHROPIC, REQUESTS, 1, 0, 1, , -1, 0",
    "ANTHROPIC, TOKENS, 100, 40, 100, TOTAL, 60, 25",
    "ANTHROPIC, INPUT_TOKENS, 100, 0, 100, INPUT, 60, 0",
    "ANTHROPIC, OUTPUT_TOKENS, 0, 40, 0, OUTPUT, -1, 25",
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
    assertThat(charge.weigh(measure, COST)).isEqualTo(new Weight(taken, held, least));
    assertThat(charge.dimension(measure)).isEqualTo(dimension);
    assertThat(charge.settled(measure, USAGE)).isEqualTo(settled);
    assertThat(charge.produced(measure, 25)).isEqualTo(produced);
  }

  /** What a queue compares with the room is what a limit will be asked for. */
  @ParameterizedTest
  @EnumSource(Charge.class)
  void dimensionOfATicket_isTheAmountOfItsWeight(Charge charge) {
    Cost[] costs = {COST, new Cost(500, 40, 300), new Cost(0, 0, 0), new Cost(7, 0, 9)};
    for (Cost cost : costs) {
      for (Measure measure : Measure.values()) {
        Dimension dimension = charge.dimension(measure);
        long size = dimension == null ? 1 : dimension.of(cost);
        assertThat(charge.weigh(measure, cost).amount()).isEqualTo(size);
      }
    }
  }

  @Test
  void openAiWithInputAboveTheStatedMaximum_chargesTheInput() {
    assertThat(Charge.OPENAI.weigh(Measure.TOKENS, new Cost(500, 40, 300)))
        .isEqualTo(new Weight(500, 0, 500));
  }
}
