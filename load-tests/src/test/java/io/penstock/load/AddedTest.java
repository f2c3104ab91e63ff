package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class AddedTest {
  @Test
  void ratio_isOfWhatBothAddInTheSameRound_howeverSlowItIs() {
    double[] direct = {100, 1_000, 10, 50, 70};
    double[] ours = {130, 1_300, 13, 65, 91};
    double[] theirs = {120, 1_200, 12, 60, 84};
    Added added = Added.of(direct, ours, theirs);
    assertThat(added.ours()).isEqualTo(21);
    assertThat(added.theirs()).isEqualTo(14);
    assertThat(added.ratio()).isEqualTo(1.5);
    assertThat(added.atMost()).isEqualTo(1.5);
  }

  @Test
  void roundInWhichTheOtherAddsNothing_isHeldAgainstPenstock() {
    Added added = Added.of(new double[] {10, 10, 10}, new double[3], new double[] {10, 9, 20});
    assertThat(added.ratio()).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(added.atMost()).isNaN();
  }

  @Test
  void values_thatAreNoPairs_areRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Added.of(new double[3], new double[2], new double[3]))
        .withMessage("2 beside 3 values, expected pairs");
  }
}
