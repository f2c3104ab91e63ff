package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RatioIntervalTest {
  /** Hollander, Wolfe and Chicken: Hamilton depression scale factor IV before and after therapy. */
  private static final double[] BEFORE = {1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};

  private static final double[] AFTER = {.878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};

  private static double[] exponentials(double[] values) {
    return Arrays.stream(values).map(Math::exp).toArray();
  }

  @Test
  void publishedExample_hasItsPublishedEstimateAndInterval() {
    RatioInterval ratio = RatioInterval.of(exponentials(AFTER), exponentials(BEFORE));
    assertThat(Math.log(ratio.estimate())).isCloseTo(-0.46, within(1e-9));
    assertThat(Math.log(ratio.low())).isCloseTo(-0.786, within(1e-9));
    assertThat(Math.log(ratio.high())).isCloseTo(-0.010, within(1e-9));
  }

  /** Tables of the signed-rank test give its critical values, which are one less. */
  @ParameterizedTest
  @CsvSource({"1, 0", "5, 0", "6, 1", "7, 3", "8, 4", "9, 6", "10, 9", "15, 26", "20, 53"})
  void rank_isThatOfTheTables(int pairs, int rank) {
    assertThat(RatioInterval.rank(pairs)).isEqualTo(rank);
  }

  @Test
  void sevenEqualRatios_areTheirOwnInterval() {
    double[] old = {1, 2, 3, 4, 5, 6, 7};
    double[] twice = Arrays.stream(old).map(each -> 2 * each).toArray();
    RatioInterval ratio = RatioInterval.of(twice, old);
    assertThat(ratio.estimate()).isCloseTo(2, within(1e-12));
    assertThat(ratio.low()).isCloseTo(2, within(1e-12));
    assertThat(ratio.high()).isCloseTo(2, within(1e-12));
  }

  @Test
  void onePairThatWasDisturbed_movesTheEstimateLittle() {
    double[] ones = {1, 1, 1, 1, 1, 1, 1};
    double[] disturbed = {1.01, 0.99, 1.02, 0.98, 1.00, 1.01, 9.0};
    assertThat(RatioInterval.of(disturbed, ones).estimate()).isBetween(0.99, 1.03);
  }

  @Test
  void exchangedSides_giveTheInverse() {
    RatioInterval ratio = RatioInterval.of(exponentials(AFTER), exponentials(BEFORE));
    RatioInterval inverse = RatioInterval.of(exponentials(BEFORE), exponentials(AFTER));
    assertThat(inverse.low()).isCloseTo(1 / ratio.high(), within(1e-12));
    assertThat(inverse.estimate()).isCloseTo(1 / ratio.estimate(), within(1e-12));
  }

  @Test
  void fivePairs_haveNoInterval() {
    RatioInterval ratio =
        RatioInterval.of(new double[] {2, 2, 2, 2, 2}, new double[] {1, 1, 1, 1, 1});
    assertThat(ratio.bounded()).isFalse();
    assertThat(ratio.estimate()).isCloseTo(2, within(1e-12));
  }

  @Test
  void whatIsNotAboveZero_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RatioInterval.of(new double[] {0}, new double[] {1}))
        .withMessage("0.0 beside 1.0, expected two numbers above 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RatioInterval.of(new double[] {1}, new double[] {0}));
  }

  @Test
  void interval_isOutsideTheNoise_onlyIfAllOfItIsFartherFromOne() {
    RatioInterval noise = new RatioInterval(1.01, 0.98, 1.04);
    assertThat(new RatioInterval(1.1, 1.05, 1.2).outside(noise)).isTrue();
    assertThat(new RatioInterval(1.1, 1.03, 1.2).outside(noise)).isFalse();
    assertThat(new RatioInterval(0.9, 0.85, 0.95).outside(noise)).isTrue();
    assertThat(new RatioInterval(0.97, 0.965, 0.975).outside(noise)).isFalse();
  }

  @Test
  void verdict_saysWhichWayIsBetter() {
    RatioInterval noise = new RatioInterval(1, 0.98, 1.02);
    RatioInterval more = new RatioInterval(1.1, 1.05, 1.2);
    assertThat(JarMeasure.REQUESTS.verdict(more, noise)).isEqualTo("BETTER than before");
    assertThat(JarMeasure.ALLOCATED.verdict(more, noise)).isEqualTo("WORSE than before");
    assertThat(JarMeasure.TAIL.verdict(noise, noise)).isEqualTo("within the noise");
    RatioInterval none = new RatioInterval(1, Double.NaN, Double.NaN);
    assertThat(JarMeasure.TAIL.verdict(none, noise)).isEqualTo("no result: too few pairs");
  }

  @Test
  void intervalOfSevenDraws_missesTheTrueRatioInSixOf128() {
    SplittableRandom random = new SplittableRandom(1);
    int missed = 0;
    int draws = 20_000;
    double[] ones = {1, 1, 1, 1, 1, 1, 1};
    for (int draw = 0; draw < draws; draw++) {
      double[] values = new double[ones.length];
      Arrays.setAll(values, at -> Math.exp(random.nextGaussian()));
      RatioInterval ratio = RatioInterval.of(values, ones);
      missed += ratio.low() > 1 || ratio.high() < 1 ? 1 : 0;
    }
    assertThat((double) missed / draws).isCloseTo(6 / 128.0, within(0.006));
  }
}
