package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.penstock.cost.Cost;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class RequestSizesTest {
  private static final int MANY = 100_000;

  private final SplittableRandom random = new SplittableRandom(1);
  private final List<Cost> drawn =
      Stream.generate(() -> RequestSizes.draw(random)).limit(MANY).toList();

  /**
   * In the trace, the mean input is 1,155 tokens and the median 1,020; for the output they are 211
   * and 129.
   */
  @Test
  void drawnSizes_many_haveTheShapeOfTheTrace() {
    assertThat(drawn.stream().mapToLong(Cost::inputTokens).average().orElseThrow())
        .isCloseTo(1_155, near(1_155));
    assertThat(drawn.stream().mapToLong(Cost::outputTokens).average().orElseThrow())
        .isCloseTo(211, near(211));
    assertThat(median(drawn.stream().mapToLong(Cost::inputTokens).sorted().toArray()))
        .isCloseTo(1_020, near(1_020));
    assertThat(median(drawn.stream().mapToLong(Cost::outputTokens).sorted().toArray()))
        .isCloseTo(129, near(129));
  }

  @Test
  void drawnSizes_many_areNoLargerThanTheLargest() {
    assertThat(drawn).allMatch(cost -> cost.totalTokens() <= RequestSizes.LARGEST_TOKENS);
    assertThat(drawn).allMatch(cost -> cost.inputTokens() >= 2 && cost.outputTokens() >= 7);
  }

  private static double median(long[] sorted) {
    return sorted[sorted.length / 2];
  }

  private static Offset<Double> near(double value) {
    return within(0.03 * value);
  }
}
