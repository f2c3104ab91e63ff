package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatisticsTest {
  @Test
  void median_ofOddAndEvenCounts_isTheMiddle() {
    assertThat(Statistics.median(new double[] {9, 1, 5})).isEqualTo(5);
    assertThat(Statistics.median(new double[] {9, 1, 5, 4})).isEqualTo(4.5);
    assertThat(Statistics.median(new double[] {7})).isEqualTo(7);
  }

  @Test
  void median_leavesItsInputAsItWas() {
    double[] values = {3, 1, 2};
    Statistics.median(values);
    Statistics.lowerBound(values);
    assertThat(values).containsExactly(3, 1, 2);
  }

  @Test
  void median_ofNothing_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> Statistics.median(new double[0]));
  }

  @Test
  void ratios_ofPairs_loseWhatBothSuffered() {
    double[] ours = {100, 50, 10};
    double[] theirs = {50, 25, 5};
    assertThat(Statistics.ratios(ours, theirs)).containsExactly(2, 2, 2);
  }

  @Test
  void ratios_withoutPairs_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Statistics.ratios(new double[2], new double[3]))
        .withMessage("2 beside 3 values, expected pairs");
  }

  @ParameterizedTest
  @CsvSource({"5, 1", "7, 1", "8, 2", "10, 2", "11, 3", "12, 3", "13, 4", "20, 6", "100, 42"})
  void lowerBound_ofOneToN_isTheRankOfTheSignTest(int values, double rank) {
    double[] ascending = new double[values];
    Arrays.setAll(ascending, at -> at + 1);
    assertThat(Statistics.lowerBound(ascending)).isEqualTo(rank);
  }

  @ParameterizedTest
  @CsvSource({"5, 5", "7, 7", "8, 7", "11, 9"})
  void upperBound_ofOneToN_isAsFarFromTheOtherEnd(int values, double rank) {
    double[] ascending = new double[values];
    Arrays.setAll(ascending, at -> at + 1);
    assertThat(Statistics.upperBound(ascending)).isEqualTo(rank);
    assertThat(Statistics.upperBound(new double[4])).isNaN();
  }

  @Test
  void jain_isOneOfEqualShares_andOneNthOfOneThatHasAll() {
    assertThat(Statistics.jain(new double[] {3, 3, 3, 3})).isEqualTo(1);
    assertThat(Statistics.jain(new double[] {0, 5, 0, 0})).isEqualTo(0.25);
    assertThat(Statistics.jain(new double[] {1, 3})).isEqualTo(0.8);
    assertThat(Statistics.jain(new double[2])).isNaN();
  }

  @Test
  void lowerBound_ofTooFew_saysNothing() {
    assertThat(Statistics.lowerBound(new double[] {1, 1, 1, 1})).isNaN();
    assertThat(Statistics.lowerBound(new double[0])).isNaN();
  }

  @Test
  void lowerBound_ofManyDraws_isAboveTheTrueMedianInNoMoreThanOneOfTwenty() {
    SplittableRandom random = new SplittableRandom(1);
    int above = 0;
    int draws = 20_000;
    for (int draw = 0; draw < draws; draw++) {
      double[] values = random.doubles(7).map(Math::exp).toArray();
      above += Statistics.lowerBound(values) > Math.exp(0.5) ? 1 : 0;
    }
    // exactly 1 in 2⁷
    assertThat((double) above / draws).isCloseTo(1 / 128.0, within(0.003));
  }
}
