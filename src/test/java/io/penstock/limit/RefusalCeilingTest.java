package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A trailing window of 1,000 a minute with a provider that refuses and states nothing. */
class RefusalCeilingTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 2_000 * SECOND;
  private static final LimitSpec.TrailingWindow SPEC =
      new LimitSpec.TrailingWindow(1_000, WINDOW, 0, 1_000);

  private final Limit limit = new Limit(SPEC, NOW);
  private final LimitFeedback feedback = limit.feedback();

  private List<Long> capacities(long from, int windows) {
    List<Long> capacities = new ArrayList<>();
    for (int window = 0; window < windows; window++) {
      capacities.add(limit.capacity(from + window * WINDOW));
    }
    return capacities;
  }

  @Test
  void firstRefusal_lowersToWhatPassedForOneWindow() {
    feedback.refused(NOW, 700, NOW);
    assertThat(capacities(NOW, 3)).containsExactly(700L, 1_000L, 1_000L);
    assertThat(limit.capacity()).isEqualTo(1_000);
    assertThat(feedback.restoredAt(NOW)).isEqualTo(NOW + WINDOW);
  }

  @Test
  void refusalWithLittleUse_lowersByOneHalfAtMost() {
    feedback.refused(NOW, 3, NOW);
    assertThat(limit.capacity(NOW)).isEqualTo(500);
  }

  @Test
  void refusalWithAllInUse_lowersByALittle() {
    feedback.refused(NOW, 1_000, NOW);
    assertThat(limit.capacity(NOW)).isEqualTo(970);
  }

  @Test
  void refusedProbe_goesBackAndHoldsTwiceAsLong_thenRisesInGrowingSteps() {
    feedback.refused(NOW, 700, NOW);
    long second = NOW + WINDOW + SECOND;
    feedback.refused(second, 720, second);
    assertThat(capacities(second, 9))
        .containsExactly(700L, 700L, 750L, 750L, 850L, 850L, 1_000L, 1_000L, 1_000L);
    assertThat(feedback.restoredAt(second)).isEqualTo(second + 6 * WINDOW);
    long third = second + 4 * WINDOW;
    feedback.refused(third, 800, third);
    assertThat(capacities(third, 5)).containsExactly(750L, 750L, 750L, 750L, 800L);
    assertThat(feedback.raises(third + 4 * WINDOW)).isEqualTo(1 + 2 + 1);
  }

  @Test
  void manyRefusedProbes_areHeldForSixteenWindowsAtMost() {
    feedback.refused(NOW, 700, NOW);
    long at = NOW;
    for (int probe = 0; probe < 20; probe++) {
      at = Objects.requireNonNull(feedback.ceiling(at)).untilNanos();
      assertThat(feedback.ceiling(at)).matches(ceiling -> ceiling.probes());
      feedback.refused(at, 700, at);
    }
    assertThat(feedback.ceiling(at).untilNanos() - at).isEqualTo(16 * WINDOW);
    assertThat(limit.capacity(at)).isEqualTo(700);
  }

  @Test
  void refusalOfARequestFromBefore_changesNothing() {
    feedback.refused(NOW, 700, NOW);
    feedback.refused(NOW - 1, 600, NOW + SECOND);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(700);
    feedback.refused(NOW + 1, 600, NOW + SECOND);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(600);
  }

  @Test
  void sameSpec_keepsTheCeiling_anotherForgetsIt() {
    feedback.refused(NOW, 700, NOW);
    limit.resize(SPEC, NOW + SECOND);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(700);
    limit.resize(new LimitSpec.TrailingWindow(900, WINDOW, 0, 900), NOW + SECOND);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(900);
    assertThat(feedback.ceiling(NOW + SECOND)).isNull();
  }

  @Test
  void statedLimit_replacesTheCeiling_andRefusalsTeachNothingWhileItHolds() {
    feedback.refused(NOW, 700, NOW);
    LimitAnswer.Receipt receipt = (LimitAnswer.Receipt) limit.take(Weight.exactly(1), NOW + SECOND);
    long unsaid = ProviderNotice.UNSTATED;
    feedback.applyNotice(
        new ProviderNotice(receipt.totalTaken(), NOW, 800, unsaid, unsaid), NOW + SECOND);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(800);
    assertThat(feedback.ceiling(NOW + SECOND)).isNull();
    feedback.refused(NOW + SECOND, 100, NOW + SECOND);
    assertThat(limit.capacity(NOW + SECOND)).isEqualTo(800);
  }

  @Test
  void waiter_isToldTheInstantAtWhichAStepLetsItGo() {
    limit.take(Weight.exactly(600), NOW);
    feedback.refused(NOW, 600, NOW);
    // The window of the charge ends with its sub-cell, a second after the ceiling does.
    assertThat(limit.roomFreeAt(300, NOW)).isEqualTo(NOW + WINDOW);
    assertThat(limit.room(NOW + WINDOW)).isEqualTo(400);
    assertThat(limit.room(NOW + WINDOW - 1)).isZero();
  }

  @Test
  void whatPassed_isThatOfExactlyOneWindow() {
    limit.take(Weight.exactly(100), NOW);
    limit.take(Weight.exactly(40), NOW + 30 * SECOND);
    assertThat(feedback.passed(NOW + 30 * SECOND)).isEqualTo(140);
    assertThat(feedback.passed(NOW + WINDOW)).isEqualTo(140);
    assertThat(feedback.passed(NOW + WINDOW + SECOND / 2)).isEqualTo(90);
    assertThat(feedback.passed(NOW + WINDOW + SECOND)).isEqualTo(40);
    assertThat(feedback.passed(NOW + 2 * WINDOW)).isZero();
  }

  @Test
  void limitOfOne_staysAsItIs() {
    Limit one = new Limit(new LimitSpec.TrailingWindow(1, WINDOW, 0, 1), NOW);
    one.feedback().refused(NOW, 0, NOW);
    assertThat(one.capacity(NOW)).isEqualTo(1);
    assertThat(one.feedback().ceiling(NOW)).isNull();
  }
}
