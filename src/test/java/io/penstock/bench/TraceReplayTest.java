package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.CostLearner;
import io.penstock.cost.RequestContent;
import io.penstock.cost.TokenUsage;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks that a provider's limit is used up but never exceeded while output sizes are learned. */
class TraceReplayTest {
  private static final int MANY = 5_000;

  /** The input is known here, so unused room is due to the output and the pace. */
  private static final class Learning implements TraceReplay.Estimator {
    private final CostLearner costLearner = new CostLearner();

    private static RequestContent content(long input) {
      return new RequestContent("m", input, 0, RequestContent.UNSTATED, 1, true);
    }

    @Override
    public Cost expect(long input) {
      return costLearner.expect(content(input), "k", 256);
    }

    @Override
    public void answered(long input, long output) {
      costLearner.answered(content(input), "k", new TokenUsage(input, 0, output));
    }
  }

  @ParameterizedTest
  @CsvSource({"20, 0.94", "50, 0.90"})
  void realSizes_fillTheLimit_andAreNeverRejected(long millisPerToken, double least)
      throws IOException {
    List<Cost> load = RequestSizes.sizes(MANY, new SplittableRandom(1));
    double mean = load.stream().mapToLong(Cost::totalTokens).average().orElseThrow();
    TraceReplay.Figures figures =
        TraceReplay.of(load, (long) (100 * mean), 5, millisPerToken * 1_000_000, new Learning());
    System.out.printf(
        "replay of %d at %d ms a token: %.1f %% of the limit used, %.1f %% at most, %d × 429%n",
        MANY, millisPerToken, 100 * figures.used(), 100 * figures.most(), figures.rejected());
    assertThat(figures.rejected()).isZero();
    assertThat(figures.used()).isGreaterThanOrEqualTo(least);
  }
}
