package io.penstock.slices;

import static io.penstock.slices.LoneLimit.BORN;
import static io.penstock.slices.LoneLimit.CELL;
import static io.penstock.slices.LoneLimit.NOW;
import static io.penstock.slices.LoneLimit.SHARED;
import static io.penstock.slices.SliceWorld.ID;
import static io.penstock.slices.SliceWorld.PACE;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.CellAmount;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.SliceStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests one shared limit that the store lost alone, did not acknowledge, or knows to be barred. */
class SharedLimitLossTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(1_000, 10_000 * SECOND);
  private static final LimitSpec TRAILING =
      new LimitSpec.TrailingWindow(1_000, 600 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);
  private static final long SHORT = 7_000 * SECOND;
  private static final LimitSpec SHORTER = new LimitSpec.FixedWindow(1_000, SHORT);
  private static final LimitSpec SPAN = new LimitSpec.Day(1_000, null, 0);
  private static final long NONE = SliceStore.Ask.NONE;
  private static final long AGAIN = 9;
  private static final SliceStore.Loss LOSS = new SliceStore.Loss(ID, AGAIN);

  private final LostLimits lostLimits = new LostLimits();
  private final BarredLimits barred = new BarredLimits();

  private static LoneLimit stocked() {
    return LoneLimit.stocked(ID, FIXED, 20);
  }

  private static void told(LoneLimit lone, long again, long now) {
    lone.shared.applyLoss(again, SHARED + now - NOW, lone.lives, lone.clock, now);
  }

  @Test
  void wordOfALoss_isToldOnForAsLongAsSlicesLast() {
    LoneLimit lone = LoneLimit.known(FIXED, 1);
    assertThat(lone.shared.loss(NOW)).isNull();
    told(lone, AGAIN, NOW);
    assertThat(lone.shared.loss(NOW + TTL - 1)).isEqualTo(LOSS);
    told(lone, AGAIN, NOW + 1);
    assertThat(lone.shared.loss(NOW + TTL)).isNull();
  }

  @Test
  void wordOfAnOlderBirth_isNoLoss() {
    LoneLimit lone = LoneLimit.known(FIXED, 1);
    told(lone, BORN - 1, NOW);
    assertThat(lone.shared.loss(NOW)).isNull();
  }

  @Test
  void wordOfTheVeryBirthThatIsKnown_isALossOnce() {
    LoneLimit lone = LoneLimit.known(FIXED, 1);
    told(lone, BORN, NOW);
    assertThat(lone.shared.loss(NOW)).isEqualTo(new SliceStore.Loss(ID, BORN));
    told(lone, BORN, NOW + TTL);
    assertThat(lone.shared.loss(NOW + TTL)).isNull();
  }

  @Test
  void loss_hasAllSaidAnewAndNothingAskedForUntilItIsMadeGood() {
    LoneLimit lone = stocked();
    lone.take(15, NOW);
    told(lone, AGAIN, NOW + 1);
    SliceStore.Ask ask = lone.asks(NOW + 1);
    assertThat(ask)
        .isEqualTo(
            new SliceStore.Ask(
                ID, FIXED, CELL, List.of(new CellAmount(CELL, 40)), 0, 0, NONE, AGAIN));
    lone.answer(ask, NOW + 1, NOW + 1, LoneLimit.grant(ID, AGAIN, NONE));
    lone.take(100, NOW + 2);
    assertThat(lone.ask(NOW + 2)).isNull();
    assertThat(lone.asks(NOW + TTL + 1).lackedAtOnce()).isEqualTo(100);
  }

  @Test
  void othersThatWereHeardTwiceAfterIt_haveSaidAll_andNothingIsBarred() {
    LoneLimit lone = LoneLimit.known(FIXED, 2);
    told(lone, AGAIN, NOW);
    lone.shared.membersHeard(lone.hear(NOW + 1), NOW + 1);
    lone.shared.membersHeard(lone.hear(NOW + 2), NOW + 2);
    lone.take(1, NOW + TTL);
    assertThat(lone.asks(NOW + TTL).barred()).isEqualTo(NONE);
    assertThat(lone.shared.loss(NOW + TTL)).isNull();
  }

  @Test
  void otherThatIsNotHeardAfterIt_barsTheCellsInWhichItMayHaveSpent() {
    LoneLimit lone = LoneLimit.known(FIXED, 2);
    told(lone, AGAIN, NOW);
    assertThat(lone.shared.loss(NOW + TTL)).isNull();
    SliceStore.Ask ask = lone.asks(NOW + TTL);
    assertThat(ask.barred()).isEqualTo(CELL);
    lone.answer(ask, NOW + TTL, NOW + TTL, LoneLimit.grant(ID, AGAIN, CELL));
    assertThat(lone.ask(NOW + TTL + 1)).as("the store knows it").isNull();
    lone.shared.forgotten();
    assertThat(lone.asks(NOW + TTL + 2).barred()).isEqualTo(CELL);
  }

  @Test
  void answerOfAnotherBirth_isALossAndGrantsNothing() {
    LoneLimit lone = stocked();
    SliceStore.Ask ask = lone.asks(NOW + PACE.renewalNanos());
    long now = NOW + PACE.renewalNanos();
    assertThat(lone.answer(ask, now, now, LoneLimit.grant(ID, AGAIN, NONE, CELL, 60))).isTrue();
    assertThat(lone.shared.loss(now)).isEqualTo(LOSS);
    assertThat(lone.take(41, now)).isFalse();
    SliceStore.Ask next = lone.asks(now + 1);
    assertThat(next.uses()).containsExactly(new CellAmount(CELL, 40));
    assertThat(next.born()).isEqualTo(AGAIN);
  }

  @Test
  void answerToWhatWasAskedBeforeTheWordOfALoss_isNoOtherLossAndGrantsNothing() {
    LoneLimit lone = stocked();
    long now = NOW + PACE.renewalNanos();
    SliceStore.Ask ask = lone.asks(now);
    told(lone, AGAIN, now);
    assertThat(lone.answer(ask, now, now, LoneLimit.grant(ID, AGAIN, NONE, CELL, 60))).isFalse();
    assertThat(lone.take(41, now)).isFalse();
    assertThat(lone.ask(now + 1)).isNotNull();
    assertThat(lone.ask(now + 2)).as("it is doubted until it is answered").isNotNull();
  }

  @Test
  void storeThatTookNoNote_isToldAllAgainAtOnce() {
    LoneLimit lone = stocked();
    long now = NOW + PACE.renewalNanos();
    assertThat(lone.answer(lone.asks(now), now, now, null)).isFalse();
    assertThat(lone.shared.acknowledgedNanos()).isEqualTo(NOW);
    assertThat(lone.asks(now + 1).uses()).containsExactly(new CellAmount(CELL, 40));
    assertThat(lone.shared.hasUnreported()).isTrue();
    assertThat(lone.answer(lone.asks(now + 2), now + 2)).isFalse();
    assertThat(lone.shared.acknowledgedNanos()).isEqualTo(now + 2);
    assertThat(lone.shared.hasUnreported()).isFalse();
    lone.ask(now + 3);
    assertThat(lone.shared.hasUnreported()).isFalse();
  }

  @Test
  void storeThatForgotAll_isAskedAsIfForTheFirstTime() {
    LoneLimit lone = stocked();
    lone.shared.forgotten();
    assertThat(lone.asks(NOW + 1).born()).isEqualTo(NONE);
    assertThat(lone.shared.loss(NOW + 1)).isNull();
  }

  @Test
  void barred_isWhatTheStoreSaysUntilItsCellIsOver() {
    LoneLimit lone = new LoneLimit(FIXED, 1);
    assertThat(lone.shared.isBarred(SHARED)).isFalse();
    lone.barred = CELL;
    lone.answer(lone.asks(NOW), NOW);
    assertThat(lone.limit.sharing().isBarred(1, NOW + 1)).isTrue();
    assertThat(stocked().limit.sharing().isBarred(1, NOW + 1)).isFalse();
    long ends = (CELL + 1) * 10_000 * SECOND;
    assertThat(lone.shared.isBarred(ends - 1)).isTrue();
    assertThat(lone.shared.isBarred(ends)).isFalse();
    barred.heard(lone.shared, ends - 1);
    assertThat(barred.count(ends - 1)).isEqualTo(1);
    assertThat(barred.count(ends)).isZero();
    barred.heard(lone.shared, ends);
    assertThat(barred.count(ends - 1)).isZero();
  }

  @Test
  void limitThatIsSharedNoMore_isNotBarred() {
    LoneLimit lone = new LoneLimit(FIXED, 1);
    lone.barred = CELL;
    lone.answer(lone.asks(NOW), NOW);
    barred.heard(lone.shared, SHARED);
    barred.forget(lone.shared);
    assertThat(barred.count(SHARED)).isZero();
  }

  @Test
  void lostLimits_areToldOfUntilThatIsMadeGood() {
    LoneLimit lone = LoneLimit.known(FIXED, 2);
    told(lone, AGAIN, NOW);
    lostLimits.add(lone.shared);
    assertThat(lostLimits.losses(NOW)).containsExactly(LOSS);
    lostLimits.heard(lone.hear(NOW + 1), NOW + 1);
    lostLimits.heard(lone.hear(NOW + 2), NOW + 2);
    assertThat(lostLimits.losses(NOW + TTL)).isEmpty();
    lone.take(1, NOW + TTL);
    assertThat(lone.asks(NOW + TTL).barred()).isEqualTo(NONE);
    told(lone, AGAIN + 1, NOW + TTL);
    assertThat(lostLimits.losses(NOW + TTL)).as("it was left out").isEmpty();
  }

  @Test
  void dayThatBegins_isKnownFromWhatWasGranted() {
    long begins = SHARED / 1_000;
    LoneLimit lone = LoneLimit.known(SPAN, 1, begins, 10);
    lone.shared.markUncertain();
    assertThat(lone.asks(NOW + 300 * SECOND).from()).isEqualTo(begins);
  }

  @Test
  void limitOfAnotherCapacity_isAskedForAsThatWithWhatItHas() {
    LoneLimit lone = stocked();
    LimitSpec less = new LimitSpec.FixedWindow(500, 10_000 * SECOND);
    lone.limit.resize(less, NOW);
    assertThat(lone.asks(NOW + PACE.renewalNanos()))
        .isEqualTo(
            new SliceStore.Ask(
                ID, less, CELL, List.of(new CellAmount(CELL, 40)), 0, 0, NONE, BORN));
  }

  @Test
  void limitOfOtherCells_hasNothingThereAndIsToldOfSoon() {
    LoneLimit lone = stocked();
    long now = NOW + PACE.renewalNanos();
    SliceStore.Ask ask = lone.asks(now);
    lone.barred = CELL;
    lone.answer(ask, now);
    lone.limit.resize(SHORTER, now);
    lone.learning = true; // otherwise a stock is wanted
    assertThat(lone.ask(now + PACE.heartbeatNanos() - PACE.intervalNanos())).isNull();
    assertThat(lone.shared.isBarred(SHARED)).isFalse();
    assertThat(lone.ask(now + PACE.heartbeatNanos()))
        .isEqualTo(new SliceStore.Ask(ID, SHORTER, SHARED / SHORT, List.of(), 0, 0, NONE, BORN));
  }

  @Test
  void limitThatBecomesATrailingWindow_isToldOfAtOnceForAllOfIt() {
    LoneLimit lone = stocked();
    lone.limit.resize(TRAILING, NOW);
    SliceStore.Ask ask = lone.asks(NOW + 1);
    assertThat(ask.spec()).isEqualTo(TRAILING);
    assertThat(ask.from()).isEqualTo(SHARED / (10 * SECOND) - 61);
    assertThat(ask.uses()).isEmpty();
  }

  @Test
  void slicesOfTheCellsOfBefore_areNotSpentInOthers() {
    LoneLimit lone = LoneLimit.known(FIXED, 1);
    lone.take(10, NOW);
    SliceStore.Ask ask = lone.asks(NOW);
    lone.limit.resize(TRAILING, NOW);
    lone.answer(ask, NOW, CELL, 20);
    lone.ask(NOW + 1);
    assertThat(lone.take(1, NOW + 1)).isFalse();
  }

  @Test
  void answerToTheKindOfBefore_isNotTaken() {
    LoneLimit lone = LoneLimit.known(FIXED, 1);
    lone.take(10, NOW);
    SliceStore.Ask ask = lone.asks(NOW);
    lone.limit.resize(TRAILING, NOW);
    lone.ask(NOW + 1);
    assertThat(lone.answer(ask, NOW + 1, CELL, 20)).isFalse();
    assertThat(lone.take(1, NOW + 2)).isFalse();
    assertThat(lone.shared.acknowledgedNanos()).isEqualTo(NOW);
  }

  @Test
  void slicesOfTheSubCellsOfBefore_areNotSpentInAWindow() {
    LoneLimit lone = LoneLimit.known(TRAILING, 1);
    lone.take(10, NOW);
    SliceStore.Ask ask = lone.asks(NOW);
    lone.limit.resize(FIXED, NOW);
    lone.answer(ask, NOW, SHARED / (10 * SECOND), 20);
    lone.ask(NOW + 1_000);
    assertThat(lone.take(1, NOW + 1_000)).isFalse();
  }

  @Test
  void lossOfALimitOfWhichNothingIsSpent_isNothingToReport() {
    LoneLimit lone = LoneLimit.known(FIXED, 1, CELL, 20);
    told(lone, AGAIN, NOW);
    assertThat(lone.ask(NOW + 1)).isNull();
  }

  @Test
  void wordOfALoss_isAnsweredThoughItWasLookedAtJustBefore() {
    LoneLimit lone = stocked();
    assertThat(lone.ask(NOW + 1)).isNull();
    told(lone, AGAIN, NOW + 2);
    assertThat(lone.ask(NOW + 3)).isNotNull();
  }

  @Test
  void otherThatWasHeardOnceAfterIt_isWaitedForWhileItMayCome() {
    LoneLimit lone = LoneLimit.known(FIXED, 2);
    told(lone, AGAIN, NOW);
    lone.shared.membersHeard(lone.hear(NOW + 1), NOW + 1);
    assertThat(lone.shared.loss(NOW + TTL + 1)).isEqualTo(LOSS);
    assertThat(lone.shared.loss(NOW + TTL + 2)).isNull();
  }
}
