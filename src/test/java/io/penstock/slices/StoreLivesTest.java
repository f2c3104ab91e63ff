package io.penstock.slices;

import static io.penstock.slices.SliceWorld.SECOND;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.sharing.RecoveryReason;
import io.penstock.sharing.SliceFixture;
import io.penstock.sharing.SliceStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how an instance treats answers of a store that may have lost data. */
class StoreLivesTest {
  private static final long TTL = SliceWorld.TTL;
  private static final long NEVER = Long.MAX_VALUE;

  /** Shared time at the instant 0. */
  private static final long ZERO = 1_000_000 * SECOND;

  private final StoreLives lives = new StoreLives("self", TTL);

  private String life = "life";
  private SliceStore.Run run = new SliceStore.Run("run", 100 * TTL, NEVER, NEVER);
  private long count;
  private long lostNanos = NEVER;

  /** Takes in the next answer, to a round sent at the given instant. */
  private boolean hear(long now, SliceStore.Member... members) {
    count++;
    SliceStore.Answer answer =
        new SliceStore.Answer(
            ZERO + now, life, run, count, List.of(members), List.of(), List.of(), lostNanos);
    return lives.apply(answer, now, now, ZERO + now, false);
  }

  private static SliceStore.Member silent(long nanos) {
    return SliceFixture.member("other", nanos);
  }

  /** Returns a member that has not heard of the run yet. */
  private static SliceStore.Member unaware(long silentNanos) {
    return new SliceStore.Member("other", silentNanos, silentNanos, NEVER, false);
  }

  private static SliceStore.Member left(long silentNanos) {
    return new SliceStore.Member("other", silentNanos, silentNanos, silentNanos, true);
  }

  /** Joins at 0, and takes in these members after joining. */
  private void joined(SliceStore.Member... members) {
    hear(0);
    hear(TTL, members);
    assertThat(lives.why(TTL)).isNull();
  }

  private void restart(long kept) {
    run = new SliceStore.Run("next", 0, 0, kept);
  }

  @Test
  void nothingWasAnswered_nothingIsTaken() {
    assertThat(lives.recovering(100 * TTL)).isTrue();
    assertThat(lives.why(100 * TTL)).isEqualTo(RecoveryReason.CAME);
    assertThat(lives.seen()).isNull();
  }

  @Test
  void whoComes_takesNothingForAsLongAsSlicesLast() {
    assertThat(hear(0)).isTrue();
    assertThat(lives.isOtherRun()).isFalse();
    assertThat(lives.why(TTL - 1)).isEqualTo(RecoveryReason.CAME);
    assertThat(lives.why(TTL)).isNull();
    assertThat(lives.seen()).isEqualTo(new SliceStore.Seen("life", "run", 1));
  }

  @Test
  void silenceThatIsLongerThanSlicesLast_isLikeComing() {
    joined();
    assertThat(hear(2 * TTL)).isTrue();
    assertThat(lives.recovering(2 * TTL)).isFalse();
    assertThat(hear(3 * TTL + 1)).isTrue();
    assertThat(lives.why(4 * TTL)).isEqualTo(RecoveryReason.SILENT);
    assertThat(lives.recovering(4 * TTL + 1)).isFalse();
  }

  @Test
  void anotherLife_isALoss() {
    joined(silent(0));
    life = "next";
    assertThat(hear(TTL + 5)).isFalse();
    assertThat(lives.why(2 * TTL + 4)).isEqualTo(RecoveryReason.LOST);
    assertThat(lives.missed()).containsExactly(new SliceStore.Missed("other", ZERO + TTL));
    assertThat(lives.known()).isEmpty();
    assertThat(lives.members(ZERO + TTL + 5, TTL)).isEqualTo(2);
    assertThat(lives.living(ZERO + TTL + 5, TTL)).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void countThatDoesNotGrow_isALoss(long growth) {
    joined();
    count += growth - 1;
    assertThat(hear(TTL + 5)).isFalse();
    assertThat(lives.why(TTL + 5)).isEqualTo(RecoveryReason.LOST);
    assertThat(hear(TTL + 6)).isTrue();
  }

  @Test
  void clockThatWasSet_isALoss_butNotWhenNothingWasHeardBefore() {
    SliceStore.Answer answer =
        new SliceStore.Answer(ZERO, life, run, 1, List.of(), List.of(), List.of(), NEVER);
    assertThat(lives.apply(answer, 0, 0, ZERO, true)).isTrue();
    SliceStore.Answer next =
        new SliceStore.Answer(ZERO, life, run, 2, List.of(), List.of(), List.of(), NEVER);
    assertThat(lives.apply(next, TTL, TTL, ZERO, true)).isFalse();
    assertThat(lives.why(TTL)).isEqualTo(RecoveryReason.LOST);
  }

  @Test
  void anotherRun_isWaitedForUntilOthersAreAwareOfIt() {
    joined(silent(0));
    restart(NEVER);
    assertThat(hear(TTL + 5, unaware(5))).isTrue();
    assertThat(lives.isOtherRun()).isTrue();
    assertThat(lives.why(TTL + 5)).isEqualTo(RecoveryReason.RESTARTED);
    assertThat(lives.missed()).containsExactly(new SliceStore.Missed("other", ZERO + TTL));
    assertThat(hear(TTL + 6, silent(0))).isTrue();
    assertThat(lives.isOtherRun()).isFalse();
    assertThat(lives.recovering(TTL + 6)).isFalse();
  }

  @Test
  void anotherRunWhileThisOneComes_isStillComing() {
    hear(0);
    restart(NEVER);
    hear(5, unaware(0));
    assertThat(lives.why(5)).isEqualTo(RecoveryReason.CAME);
    assertThat(lives.why(TTL + 4)).isEqualTo(RecoveryReason.CAME);
  }

  @Test
  void anotherRunWhileALossIsMadeGood_isALossToo() {
    joined(silent(0));
    life = "next";
    hear(TTL + 1);
    restart(NEVER);
    hear(2 * TTL);
    assertThat(lives.why(3 * TTL - 1)).isEqualTo(RecoveryReason.LOST);
    assertThat(lives.missed()).containsExactly(new SliceStore.Missed("other", ZERO + TTL));
  }

  @Test
  void anotherRunThatBeganLongAgo_isWaitedForAsLongAsSlicesLast() {
    joined();
    run = new SliceStore.Run("next", TTL + 1, 0, NEVER);
    hear(TTL + 5);
    assertThat(lives.why(2 * TTL + 4)).isEqualTo(RecoveryReason.RESTARTED);
    assertThat(lives.recovering(2 * TTL + 5)).isFalse();
  }

  @Test
  void anotherRunThatBeganLately_isNotWaitedForWhereNobodyElseIs() {
    joined();
    run = new SliceStore.Run("next", TTL, 0, NEVER);
    hear(TTL + 5);
    assertThat(lives.recovering(TTL + 5)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void otherThatWasQuietBeforeARestart_isNotWaitedFor(long more) {
    joined(silent(2 * TTL + more));
    restart(NEVER);
    hear(TTL + 1);
    assertThat(lives.missed()).hasSize(more == 0 ? 1 : 0);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void otherThatWasQuietAndOfWhichTheStoreMayNotKnow_isWaitedFor(long kept) {
    joined(silent(3 * TTL)); // as of the second round
    restart(kept);
    hear(TTL + 1);
    assertThat(lives.missed()).hasSize(kept == 1 ? 1 : 0);
  }

  @Test
  void otherOfWhichNothingNewWasTold_isKnownAsOfTheRoundThatTold() {
    joined(silent(3 * TTL));
    hear(TTL + 1, silent(3 * TTL + 1));
    restart(2);
    hear(TTL + 2);
    assertThat(lives.missed()).isEmpty();
  }

  @Test
  void otherThatLeft_isKnownAsOfTheRoundThatToldOfItBefore() {
    joined(silent(0));
    hear(TTL + 1, left(1));
    restart(2);
    hear(TTL + 2);
    assertThat(lives.missed()).isEmpty();
  }

  @Test
  void otherThatLeftWithANewRound_isKnownAsOfThat() {
    joined(silent(0));
    hear(TTL + 1, left(0));
    restart(2);
    hear(TTL + 2);
    assertThat(lives.missed()).containsExactly(new SliceStore.Missed("other", ZERO + TTL + 1));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1})
  void lossThatOthersSawLately_isOneHereToo(long more) {
    joined(silent(0));
    lostNanos = 3 * TTL + more;
    assertThat(hear(TTL + 5)).isTrue();
    assertThat(lives.why(TTL + 5)).isEqualTo(more == 0 ? RecoveryReason.LOST : null);
    assertThat(lives.missed()).hasSize(more == 0 ? 1 : 0);
  }

  @Test
  void lossThatIsToldAgain_isNoNews_butALaterOneIs() {
    joined();
    lostNanos = 5;
    hear(TTL + 5);
    lostNanos = TTL * 3 / 4;
    hear(2 * TTL);
    assertThat(lives.recovering(2 * TTL + 5)).isFalse();
    lostNanos = TTL - 1;
    hear(2 * TTL + TTL / 2);
    assertThat(lives.why(3 * TTL)).isEqualTo(RecoveryReason.LOST);
  }

  @Test
  void runThatIsYoungWhereSomethingWasBefore_isWaitedForByWhoComes() {
    run = new SliceStore.Run("run", 3 * TTL, 5, NEVER);
    hear(0, unaware(5 * TTL + 4));
    assertThat(lives.why(0)).isEqualTo(RecoveryReason.CAME);
    assertThat(lives.missed()).containsExactly(new SliceStore.Missed("other", ZERO - 5 * TTL - 4));
  }

  @Test
  void otherThatWasQuietBeforeThatRun_isNotWaitedForByWhoComes() {
    run = new SliceStore.Run("run", 3 * TTL, 5, NEVER);
    hear(0, unaware(5 * TTL + 5));
    assertThat(lives.missed()).isEmpty();
  }

  @Test
  void runThatIsOldOrTheFirst_isNotWaitedForByWhoComes() {
    run = new SliceStore.Run("run", 3 * TTL + 1, 5, NEVER);
    hear(0, unaware(SECOND));
    assertThat(lives.missed()).isEmpty();
    StoreLives first = new StoreLives("self", TTL);
    SliceStore.Run only = new SliceStore.Run("run", 5, NEVER, NEVER);
    SliceStore.Answer answer =
        new SliceStore.Answer(
            ZERO, life, only, 1, List.of(unaware(SECOND)), List.of(), List.of(), NEVER);
    first.apply(answer, 0, 0, ZERO, false);
    assertThat(first.missed()).isEmpty();
  }

  @Test
  void whoComesAfterALoss_waitsForAllWhoWereHeardBefore() {
    lostNanos = TTL;
    hear(0, silent(TTL + 5));
    assertThat(lives.why(0)).isEqualTo(RecoveryReason.LOST);
    assertThat(lives.missed()).hasSize(1);
  }

  @Test
  void otherThatIsToldOfAfterALoss_isWaitedForUnlessItHasLeft() {
    joined();
    life = "next";
    hear(TTL + 1, left(5));
    assertThat(lives.missed()).isEmpty();
    hear(TTL + 2, SliceFixture.member("third", 5));
    assertThat(lives.missed()).containsExactly(new SliceStore.Missed("third", ZERO + TTL - 3));
  }

  @Test
  void missingOne_barsItsCells() {
    LimitCells cells = LimitCells.of(LimitKinds.FIXED);
    joined(silent(0));
    assertThat(lives.barred(cells)).isEqualTo(SliceStore.Ask.NONE);
    life = "next";
    hear(TTL + 1);
    hear(2 * TTL + 1);
    assertThat(lives.recovering(2 * TTL + 1)).isFalse();
    assertThat(lives.barred(cells)).isEqualTo(cells.at(ZERO + 2 * TTL + 1));
  }

  @Test
  void othersHeardLately_live_butNoneThatLeft_norThisOneTwice() {
    joined(silent(0), SliceFixture.member("self", 0));
    assertThat(lives.known()).isEqualTo(Map.of("other", ZERO + TTL));
    assertThat(lives.living(ZERO + TTL + 7, 7)).isEqualTo(2);
    assertThat(lives.living(ZERO + TTL + 8, 7)).isEqualTo(1);
    assertThat(lives.members(ZERO + TTL + 7, 7)).isEqualTo(2);
    hear(TTL + 1, left(1));
    assertThat(lives.living(ZERO + TTL + 1, 7)).isEqualTo(1);
  }

  @Test
  void otherThatWasSilentForThirtyThreeDays_isForgotten() {
    long longest = TimeUnit.DAYS.toNanos(33);
    joined(silent(longest));
    assertThat(lives.known()).hasSize(1);
    hear(TTL + 1);
    assertThat(lives.known()).isEmpty();
  }

  @Test
  void otherOfWhomAnOlderSignIsTold_wasHeardWhenItWas() {
    joined(silent(5));
    hear(TTL + 1, silent(100));
    assertThat(lives.known()).isEqualTo(Map.of("other", ZERO + TTL - 5));
  }
}
