package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import java.io.IOException;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReplayTest {
  private static final Replay.Estimator P90 =
      new Replay.Estimator() {
        @Override
        public Cost expect(long input) {
          return new Cost(input, 424, 0);
        }

        @Override
        public void answered(long input, long output) {}
      };

  @ParameterizedTest
  @CsvSource({"20, 0.5", "50, 0.5", "20, 5", "50, 5"})
  void try_(long millis, double burst) throws IOException {
    List<Cost> load = Trace.sizes(5_000, new SplittableRandom(1));
    double mean = load.stream().mapToLong(Cost::totalTokens).average().orElseThrow();
    Replay.Figures f = Replay.of(load, (long) (100 * mean), burst, millis * 1_000_000, P90);
    System.out.println(millis + " ms " + burst + " " + f);
    assertThat(f.rejected()).isZero();
  }
}
