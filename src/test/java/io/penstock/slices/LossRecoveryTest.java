package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LossRecoveryTest {
  private static final long TTL = SliceWorld.TTL;
  private static final long LOST = 100 * SECOND;
  private static final LimitCells CELLS =
      Objects.requireNonNull(LimitCells.of(new LimitSpec.FixedWindow(10, 10 * SECOND)));

  private final LossRecovery learning = new LossRecovery(TTL, true);

  private void lose() {
    learning.lost(Map.of("other", LOST - SECOND), LOST, Long.MAX_VALUE, 0);
  }

  private void see(long heardAt, long whole) {
    see(heardAt, whole, SECOND);
  }

  private void see(long heardAt, long whole, long silentNanos) {
    long clock = heardAt + silentNanos;
    SliceStore.Member other =
        new SliceStore.Member(
            "other",
            silentNanos,
            whole == Long.MAX_VALUE ? whole : clock - whole,
            whole == Long.MAX_VALUE ? whole : clock - whole,
            false);
    learning.see(other, clock);
  }

  private void seeAware(long heardAt, boolean aware, boolean left) {
    long awareNanos = aware ? SECOND : Long.MAX_VALUE;
    learning.see(new SliceStore.Member("other", SECOND, 0, awareNanos, left), heardAt + SECOND);
  }

  private void restart(Map<String, Long> known) {
    learning.restarted(known, LOST, LOST, 0);
  }

  private boolean lasts(long now) {
    learning.answered(now);
    return learning.inProgress(now);
  }

  @Test
  void nothingWasLost_lastsAsLongAsSlices() {
    assertThat(lasts(0)).isFalse();
    learning.begin(0);
    assertThat(lasts(TTL - 1)).isTrue();
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }

  @Test
  void otherSaidAllAfterItWasTold_nothingIsBarred() {
    lose();
    learning.told(LOST);
    see(LOST + 1, LOST + 1);
    see(LOST + 2, LOST + 2);
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }

  @Test
  void otherIsHeardBeforeItWasTold_doesNotCount() {
    lose();
    see(LOST + 1, LOST + 1);
    see(LOST + 2, LOST + 2);
    learning.told(LOST + 2);
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void otherHasMoreToSay_isWaitedForHoweverLong_andThenNothingIsBarred() {
    lose();
    learning.told(LOST);
    see(LOST + 1, LOST - SECOND);
    see(LOST + 2, LOST - SECOND);
    see(LOST + 3, LOST + 1);
    assertThat(lasts(TTL)).isTrue();
    assertThat(lasts(20 * TTL)).isTrue();
    see(LOST + 20 * TTL, LOST + 20 * TTL);
    assertThat(lasts(20 * TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }

  @Test
  void otherHasMoreToSay_andIsHeardNoMore_isBarred() {
    lose();
    learning.told(LOST);
    see(LOST + 1, LOST - SECOND);
    assertThat(lasts(10 * TTL)).isTrue();
    see(LOST + 1, LOST - SECOND, TTL + 1);
    assertThat(lasts(10 * TTL)).isFalse();
    assertThat(learning.missing()).isEqualTo(1);
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void nothingIsAnswered_nobodyIsGivenUp() {
    lose();
    learning.answered(TTL / 2);
    assertThat(learning.inProgress(10 * TTL)).isTrue();
    assertThat(lasts(10 * TTL)).isFalse();
  }

  @Test
  void restartOfWhichAllAreAware_endsAtOnce() {
    restart(Map.of("other", LOST - SECOND));
    assertThat(lasts(0)).isTrue();
    assertThat(learning.missed()).containsExactly(new SliceStore.Missed("other", LOST - SECOND));
    seeAware(LOST + 1, false, false);
    assertThat(lasts(0)).isTrue();
    seeAware(LOST + 2, true, false);
    assertThat(lasts(0)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }

  @Test
  void restartThatNobodyElseMayHaveLostAnythingBy_endsAtOnce() {
    restart(Map.of());
    assertThat(lasts(0)).isFalse();
  }

  @Test
  void otherLeftBeforeARestart_isNotWaitedFor() {
    restart(Map.of("other", LOST - SECOND));
    seeAware(LOST - SECOND, false, true);
    assertThat(lasts(0)).isFalse();
  }

  @Test
  void otherThatIsNeverAware_isNotWaitedForOnceItIsHeardLongAfterTheRestart() {
    restart(Map.of("other", LOST - SECOND));
    seeAware(LOST + 2 * TTL, false, false);
    assertThat(lasts(2 * TTL)).isTrue();
    seeAware(LOST + 2 * TTL + 1, false, false);
    assertThat(lasts(2 * TTL)).isFalse();
  }

  @Test
  void otherIsNotHeardAfterARestart_isBarred() {
    restart(Map.of("other", LOST - SECOND));
    assertThat(lasts(TTL - 1)).isTrue();
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void restartAfterABar_doesNotProlongIt() {
    restart(Map.of("other", LOST - SECOND));
    assertThat(lasts(TTL)).isFalse();
    learning.restarted(Map.of(), LOST + 60 * SECOND, LOST + 60 * SECOND, 60 * SECOND);
    assertThat(lasts(60 * SECOND)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void lossThatShowsAfterARestart_isLearnedByThoseWhoWereNotAwareToo() {
    restart(Map.of("other", LOST - SECOND));
    learning.lost(Map.of(), LOST + 1, LOST + 1, 1);
    assertThat(learning.missed()).containsExactly(new SliceStore.Missed("other", LOST - SECOND));
    seeAware(LOST + 2, true, false);
    assertThat(lasts(1)).isTrue();
  }

  @Test
  void otherSaysTheRestLater_endsThen() {
    lose();
    learning.told(LOST);
    see(LOST + 1, Long.MAX_VALUE);
    assertThat(lasts(TTL)).isTrue();
    see(LOST + TTL, LOST + TTL);
    assertThat(lasts(TTL + 1)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }

  @Test
  void otherIsNewsToWhoJoins_andIsHeardLateOnly_isWaitedForAndBarred() {
    learning.lost(Map.of(), LOST, LOST, 0);
    see(LOST + 1, Long.MAX_VALUE); // sent before the loss, by a member that died meanwhile
    assertThat(lasts(TTL)).isTrue();
    see(LOST + 1, Long.MAX_VALUE, TTL + 1);
    assertThat(lasts(2 * TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void anotherLossWithAnOlderRecord_doesNotForgetWhenOthersWereHeard() {
    lose();
    learning.lost(Map.of("other", LOST - 20 * SECOND), LOST + 1, Long.MAX_VALUE, 1);
    assertThat(lasts(TTL + 1)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + 1 + TTL) / (10 * SECOND));
  }

  @Test
  void otherThatSomebodyElseMisses_isWaitedForToo() {
    lose();
    learning.told(LOST);
    learning.expect(SliceFixture.member("third", 2 * SECOND), LOST - SECOND);
    assertThat(learning.missed())
        .containsExactlyInAnyOrder(
            new SliceStore.Missed("other", LOST - SECOND),
            new SliceStore.Missed("third", LOST - SECOND));
    see(LOST + 1, LOST + 1);
    see(LOST + 2, LOST + 2);
    assertThat(learning.missed()).containsExactly(new SliceStore.Missed("third", LOST - SECOND));
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.missed()).isEmpty();
    assertThat(learning.barred(CELLS)).isEqualTo((LOST + TTL) / (10 * SECOND));
  }

  @Test
  void whoComesAfterTheLoss_isNotWaitedFor() {
    learning.lost(Map.of(), LOST, LOST, 0);
    learning.expect(SliceFixture.member("joiner", 0), LOST + 1);
    assertThat(learning.missed()).isEmpty();
    assertThat(lasts(TTL)).isFalse();
    assertThat(learning.barred(CELLS)).isEqualTo(SliceStore.Ask.NONE);
  }
}
