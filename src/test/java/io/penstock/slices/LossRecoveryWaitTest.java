package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Tests which members are waited for after a loss or a restart, until when, and what is barred
 * then.
 */
class LossRecoveryWaitTest {
  private static final long TTL = SliceWorld.TTL;
  private static final long LOST = 100 * SECOND;
  private static final long WINDOW = 10 * SECOND;
  private static final LimitCells CELLS =
      Objects.requireNonNull(LimitCells.of(new LimitSpec.FixedWindow(10, WINDOW)));
  private static final SliceStore.Missed OTHER = new SliceStore.Missed("other", LOST - SECOND);

  private final LossRecovery learning = new LossRecovery(TTL, true);

  private void lose(long at, long now) {
    learning.lost(Map.of("other", LOST - SECOND), at, at, now);
  }

  /** Begins the recovery from a loss that all members know of at once. */
  private void lose() {
    lose(LOST, 0);
  }

  private void see(long heardAt, long silentNanos) {
    learning.see(SliceFixture.member("other", silentNanos), heardAt + silentNanos);
  }

  private boolean lasts(long now) {
    learning.answered(now);
    return learning.inProgress(now);
  }

  @Test
  void lossOrRestart_isOfALossOnlyWhileSomebodyIsMissed() {
    learning.begin(0);
    assertThat(learning.isOfLoss(0)).isFalse();
    learning.lost(Map.of(), LOST, LOST, 0);
    assertThat(learning.isOfLoss(0)).isFalse();
    lose();
    assertThat(learning.isOfLoss(0)).isTrue();
    assertThat(learning.expected()).containsExactly(Map.entry("other", LOST - SECOND));
    learning.restarted(Map.of("third", LOST), LOST + 1, LOST, 0);
    assertThat(learning.isOfLoss(0)).isFalse();
  }

  @Test
  void lossThatIsMadeGood_missesNobodyAnyMore() {
    lose();
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.isOfLoss(TTL)).isFalse();
    assertThat(learning.expected()).isEmpty();
    learning.lost(Map.of(), LOST + 5 * TTL, LOST + 5 * TTL, 5 * TTL);
    assertThat(learning.missed()).isEmpty();
  }

  @Test
  void anotherLoss_isToBeReportedAfterAnew() {
    lose();
    see(LOST + 1, 0);
    see(LOST + 2, 0);
    assertThat(learning.missed()).isEmpty();
    lose(LOST + 3, 3);
    assertThat(learning.missed()).containsExactly(OTHER);
    assertThat(lasts(TTL + 3)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / WINDOW);
  }

  @Test
  void heardAtTheVeryInstantOfTheLoss_isNotHeardSince() {
    lose();
    see(LOST, 0);
    assertThat(learning.missed()).containsExactly(OTHER);
    see(LOST + 1, 0);
    assertThat(learning.missed()).isEmpty();
  }

  @Test
  void heardByOthersAtTheVeryInstantOfTheLoss_isWaitedFor() {
    learning.lost(Map.of(), LOST, LOST, 0);
    learning.expect(SliceFixture.member("third", 0), LOST);
    assertThat(learning.missed()).containsExactly(new SliceStore.Missed("third", LOST));
  }

  @Test
  void heardByOthersAfterARestart_isWaitedForUntilItIsAware() {
    learning.restarted(Map.of(), LOST, LOST, 0);
    learning.expect(SliceFixture.member("third", SECOND), LOST - SECOND);
    assertThat(learning.missed()).containsExactly(new SliceStore.Missed("third", LOST - SECOND));
    learning.see(SliceFixture.member("third", 0), LOST + 1);
    assertThat(learning.missed()).isEmpty();
  }

  @Test
  void nobodyIsLearnedFrom_whoIsHeardMeansNothing() {
    learning.expect(SliceFixture.member("third", 0), 0);
    lose();
    assertThat(learning.missed()).containsExactly(OTHER);
  }

  @Test
  void answerThatIsOlderThanHalfTheTimeOfSlices_decidesNothing() {
    lose();
    learning.answered(TTL);
    assertThat(learning.inProgress(TTL + TTL / 2 + 1)).isTrue();
    assertThat(learning.inProgress(TTL + TTL / 2)).isFalse();
  }

  @Test
  void otherThatIsSilentForJustAsLongAsSlicesLast_isStillComing() {
    learning.lost(Map.of("other", LOST - SECOND), LOST, LOST, 0);
    SliceStore.Member silent =
        new SliceStore.Member("other", TTL, Long.MAX_VALUE, Long.MAX_VALUE, false);
    learning.see(silent, LOST + 1 + TTL);
    learning.answered(TTL);
    assertThat(learning.inProgress(TTL)).isTrue();
    assertThat(learning.inProgress(TTL + 1)).isFalse();
  }

  @Test
  void otherThatWasHeardBeforeAnEarlierRestart_isNotComingAfterTheNext() {
    learning.restarted(Map.of("other", LOST - SECOND), LOST, LOST, 0);
    see(LOST + 1, 0);
    assertThat(lasts(0)).isFalse();
    long again = 10 * TTL;
    learning.restarted(Map.of("other", LOST + again), LOST + again, LOST + again, again);
    assertThat(lasts(again + TTL - 1)).isTrue();
    assertThat(lasts(again + TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + again + TTL) / WINDOW);
  }

  @Test
  void runThatBeganLongerAgoThanSlicesLast_isWaitedForAsLongAsTheyDo() {
    learning.restarted(Map.of(), LOST + TTL + 1, LOST, 5);
    assertThat(lasts(TTL + 4)).isTrue();
    assertThat(lasts(TTL + 5)).isFalse();
  }

  @Test
  void runThatBeganJustAsLongAgoAsSlicesLast_endsAtOnce() {
    learning.restarted(Map.of(), LOST + TTL, LOST, 5);
    assertThat(lasts(5)).isFalse();
  }

  @Test
  void restartWhileItLastsAlready_lastsForTheTimeOfSlicesFromThenOn() {
    learning.begin(0);
    learning.restarted(Map.of(), LOST, LOST, 5);
    assertThat(lasts(TTL + 4)).isTrue();
    assertThat(lasts(TTL + 5)).isFalse();
  }

  @Test
  void missingOne_barsWhatCountsOfItWhenSlicesOfBeforeTheLossMayHaveBegun() {
    learning.lost(Map.of("other", LOST - TTL - WINDOW), LOST, LOST, 0);
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / WINDOW);
  }

  @Test
  void missingOneOfWhomNothingCountsAnyMore_barsNothing() {
    learning.lost(Map.of("other", LOST - TTL - WINDOW - 1), LOST, LOST, 0);
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.missing()).isEqualTo(1);
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }

  @Test
  void laterLossOfOneThatIsLongGone_doesNotForgetWhoWasMissingBefore() {
    lose();
    assertThat(lasts(TTL)).isFalse();
    long later = LOST + 5 * SECOND;
    learning.lost(Map.of("third", LOST - 40 * SECOND), later, later, 5 * SECOND);
    assertThat(lasts(5 * SECOND + TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((later + TTL) / WINDOW);
  }
}
