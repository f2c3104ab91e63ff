package io.penstock.slices;

import static io.penstock.slices.LoneLimit.BORN;
import static io.penstock.slices.LoneLimit.CELL;
import static io.penstock.slices.LoneLimit.NOW;
import static io.penstock.slices.LoneLimit.SHARED;
import static io.penstock.slices.SliceWorld.ID;
import static io.penstock.slices.SliceWorld.MILLI;
import static io.penstock.slices.SliceWorld.PACE;
import static io.penstock.slices.SliceWorld.SECOND;
import static io.penstock.slices.SliceWorld.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.CellAmount;
import io.penstock.limit.ExactRate;
import io.penstock.limit.LimitSpec;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.SliceStore;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what is asked and reported for one shared limit, and when. */
class SharedLimitTest {
  private static final LimitSpec FIXED = new LimitSpec.FixedWindow(1_000, 10_000 * SECOND);
  private static final LimitSpec BUCKET = new LimitSpec.TokenBucket(new ExactRate(1, 1), 120);
  private static final LimitSpec STRICT = new LimitSpec.Strict(new ExactRate(20, 1), 0);
  private static final LimitSpec PERMITS = new LimitSpec.Concurrency(1_000);
  private static final long NONE = SliceStore.Ask.NONE;

  private static CellAmount use(long amount) {
    return new CellAmount(CELL, amount);
  }

  private static LoneLimit known(long... slices) {
    return LoneLimit.known(FIXED, 1, slices);
  }

  private static LoneLimit stocked(long lacked) {
    return LoneLimit.stocked(ID, FIXED, lacked);
  }

  @Test
  void limitThatTheStoreWasNeverAskedFor_isToldOfAtOnce() {
    assertThat(new LoneLimit(FIXED, 1).ask(NOW))
        .isEqualTo(new SliceStore.Ask(ID, FIXED, CELL, List.of(), 0, 0, NONE, NONE));
  }

  @Test
  void limitThatNobodyUses_isToldOfAgainBeforeTheStoreForgetsIt() {
    assertThat(known().ask(NOW + 450 * SECOND - 1)).isNull();
    assertThat(known().ask(NOW + 900 * SECOND))
        .satisfies(ask -> assertThat(ask.born()).isEqualTo(BORN));
  }

  @Test
  void limitsThatWereFirstSeenAtOnce_areNotAllToldOfAgainAtOnce() {
    long again =
        IntStream.range(0, 100)
            .mapToObj(each -> new LimitId(LimitId.Kind.KEY, "k" + each, "", LimitMeasure.TOKENS, 1))
            .map(
                id -> {
                  LoneLimit lone = new LoneLimit(id, FIXED, 1);
                  lone.answer(lone.asks(NOW), NOW);
                  return lone.ask(NOW + 675 * SECOND);
                })
            .filter(ask -> ask != null)
            .count();
    assertThat(again).isBetween(20L, 80L);
  }

  @Test
  void limitOfWhichTheStoreTookNoNote_isToldOfAgainAfterAHeartbeat() {
    LoneLimit lone = known();
    lone.shared.markUncertain();
    lone.answer(lone.asks(NOW + 900 * SECOND), NOW + 900 * SECOND, NOW + 900 * SECOND, null);
    long again = NOW + 900 * SECOND + PACE.heartbeatNanos();
    assertThat(lone.ask(again - 1)).isNull();
    lone.shared.markUncertain();
    assertThat(lone.ask(again)).isNotNull();
  }

  @Test
  void lackOfOneThatIsAlone_isAskedForAndKeptInStockAsWell() {
    LoneLimit lone = known();
    assertThat(lone.take(100, NOW + 1)).isFalse();
    assertThat(lone.ask(NOW + 1))
        .isEqualTo(new SliceStore.Ask(ID, FIXED, CELL, List.of(), 100, 100, NONE, BORN));
  }

  @ParameterizedTest
  @CsvSource({"2, 125", "3, 83", "10, 25"})
  void lackOfOneOfSeveral_isKeptInStockAsFarAsAQuarterOfAPartGoes(int members, long stock) {
    LoneLimit lone = LoneLimit.known(FIXED, members);
    lone.take(200, NOW + 1);
    SliceStore.Ask ask = lone.asks(NOW + 1);
    assertThat(ask.lackedAtOnce()).isEqualTo(200);
    assertThat(ask.wanted()).isEqualTo(stock);
  }

  @Test
  void whileALossIsMadeGood_nothingIsAskedFor() {
    LoneLimit lone = known();
    lone.learning = true;
    lone.take(100, NOW + 1);
    assertThat(lone.ask(NOW + 1)).isNull();
    lone.shared.markUncertain();
    assertThat(lone.ask(NOW + 900 * SECOND))
        .isEqualTo(new SliceStore.Ask(ID, FIXED, CELL, List.of(), 0, 0, NONE, BORN));
  }

  @Test
  void granted_isSpentAndReportedWhenItIsRenewed() {
    LoneLimit lone = stocked(20);
    assertThat(lone.take(5, NOW + 1)).isTrue();
    assertThat(lone.ask(NOW + PACE.renewalNanos() - 1)).isNull();
    LoneLimit other = stocked(20);
    assertThat(other.take(5, NOW + 1)).isTrue();
    assertThat(other.ask(NOW + PACE.renewalNanos()))
        .isEqualTo(new SliceStore.Ask(ID, FIXED, CELL, List.of(use(40)), 0, 0, NONE, BORN));
  }

  @Test
  void runOver_isNewsThatIsToldAtOnceWhenItIsLookedAt() {
    LoneLimit lone = known(CELL, 20);
    lone.take(20, NOW + 1);
    lone.limit.charge(7, 0, NOW + 2);
    assertThat(lone.asks(NOW + 3).uses()).containsExactly(use(27));
  }

  @Test
  void limitThatIsAtRest_isLookedAtOnceAHeartbeat() {
    LoneLimit lone = known();
    assertThat(lone.ask(NOW + 1)).isNull();
    lone.limit.charge(7, 0, NOW + 2);
    assertThat(lone.ask(NOW + PACE.heartbeatNanos())).isNull();
    assertThat(lone.ask(NOW + 1 + PACE.heartbeatNanos())).isNotNull();
  }

  @Test
  void limitThatIsInUse_isLookedAtTwiceAnInterval() {
    LoneLimit lone = stocked(20);
    assertThat(lone.ask(NOW + 1)).isNull();
    lone.limit.charge(70, 0, NOW + 2);
    assertThat(lone.ask(NOW + PACE.intervalNanos() / 2)).isNull();
    assertThat(lone.ask(NOW + 1 + PACE.intervalNanos() / 2)).isNotNull();
  }

  @Test
  void limitIsAtRest_onceItWasNotUsedForLongerThanSlicesLast() {
    LoneLimit lone = known(CELL, 20);
    lone.learning = true; // nothing is wanted
    lone.take(20, NOW);
    long used = NOW + 30 * MILLI;
    assertThat(lone.ask(used)).isNull();
    assertThat(lone.ask(used + TTL)).isNull();
    lone.limit.charge(7, 0, used + TTL);
    assertThat(lone.ask(used + TTL + PACE.intervalNanos() / 2)).isNotNull();
  }

  @Test
  void whoWaits_isLookedAfterAtOnce() {
    LoneLimit lone = known();
    assertThat(lone.ask(NOW + 1)).isNull();
    lone.take(5, NOW + 2);
    assertThat(lone.ask(NOW + 2)).isNotNull();
  }

  @Test
  void spending_isAskedForAheadAsItsPaceIs() {
    LoneLimit lone = stocked(40);
    lone.take(60, NOW + 50 * MILLI);
    // half of 60 in 100 ms, for 300 ms: 90, of which 20 are left
    SliceStore.Ask ask = lone.asks(NOW + 100 * MILLI);
    assertThat(ask.wanted()).isEqualTo(70);
    assertThat(ask.lackedAtOnce()).isZero();
    lone.answer(ask, NOW + 100 * MILLI, CELL, 70);
    // nothing in another 100 ms: half of that, and the stock is less
    assertThat(lone.ask(NOW + 200 * MILLI)).isNull();
    assertThat(lone.take(70, NOW + 201 * MILLI)).isTrue();
    // half of 45, and of 70 in 100 ms: 127.5, of which 20 are left
    assertThat(lone.asks(NOW + 300 * MILLI).wanted()).isEqualTo(108);
  }

  @Test
  void paceOfLessThanTheLeastTime_isNotLearned() {
    LoneLimit lone = stocked(40);
    lone.take(60, NOW + 1);
    assertThat(lone.ask(NOW + 20 * MILLI - 1)).isNull();
    LoneLimit other = stocked(40);
    other.take(59, NOW + 1);
    // a tenth of 59 in 20 ms, for 300 ms: 88.5, of which 21 are left
    assertThat(other.asks(NOW + 20 * MILLI).wanted()).isEqualTo(68);
  }

  @Test
  void paceOfALongTime_isSmoothedAsThatOfAnInterval() {
    LoneLimit lone = stocked(40);
    lone.take(60, NOW + 50 * MILLI);
    // half of 60 in 200 ms, for 300 ms: 45, of which 20 are left
    assertThat(lone.asks(NOW + 200 * MILLI).wanted()).isEqualTo(25);
  }

  @Test
  void whereThereIsTooMuchToAsk_aSingleUseIsNoPace() {
    LoneLimit lone = LoneLimit.known(FIXED, 1, CELL, 1);
    lone.stockedNanos = TTL - 1;
    lone.take(1, NOW + 50 * MILLI);
    assertThat(lone.ask(NOW + 100 * MILLI)).isNull();
    LoneLimit twice = LoneLimit.known(FIXED, 1, CELL, 2);
    twice.stockedNanos = TTL - 1;
    twice.take(2, NOW + 50 * MILLI);
    assertThat(twice.asks(NOW + 150 * MILLI).wanted()).isEqualTo(2);
    LoneLimit few = LoneLimit.known(FIXED, 1, CELL, 1);
    few.stockedNanos = TTL;
    few.take(1, NOW + 50 * MILLI);
    assertThat(few.asks(NOW + 100 * MILLI).wanted()).isEqualTo(2);
  }

  @Test
  void stock_isKeptForHalfAMinuteAfterItsLastUse() {
    LoneLimit lone = stocked(100);
    long last = NOW + SharedLimit.STOCKED_NANOS;
    for (long at = NOW + SECOND; at <= last; at += SECOND) {
      lone.renew(at);
    }
    lone.renew(last + 1);
    assertThat(lone.shared.freeTokens()).isEqualTo(200);
    lone.renew(last + 1 + PACE.leastNanos());
    lone.renew(last + 2 + PACE.leastNanos());
    assertThat(lone.shared.freeTokens()).isZero();
  }

  @ParameterizedTest
  @EnumSource(LimitMeasure.class)
  void freeTokens_areThoseOfSlicesThatCountTokens(LimitMeasure measure) {
    LimitId id = new LimitId(LimitId.Kind.KEY, "k", "", measure, 1);
    LoneLimit lone = LoneLimit.stocked(id, FIXED, 10);
    lone.take(5, NOW + 1);
    lone.ask(NOW + 2);
    boolean tokens = measure != LimitMeasure.REQUESTS && measure != LimitMeasure.CONCURRENCY;
    assertThat(lone.shared.freeTokens()).isEqualTo(tokens ? 15 : 0);
  }

  @Test
  void bucketOfSeveral_isWantedUpToTwiceAQuarterOfAPart() {
    LoneLimit lone = LoneLimit.known(BUCKET, 3);
    lone.take(100, NOW + 1);
    SliceStore.Ask ask = lone.asks(NOW + 1);
    assertThat(List.of(ask.lackedAtOnce(), ask.wanted())).containsExactly(100L, 10L);
    LoneLimit paced = LoneLimit.known(BUCKET, 3, 1L << 52, 100);
    paced.take(100, NOW + 50 * MILLI);
    assertThat(paced.asks(NOW + 100 * MILLI).wanted()).isEqualTo(20);
  }

  @Test
  void slots_areAskedForWhereTheyAreOfUseAndNothingIsReported() {
    LoneLimit lone = new LoneLimit(STRICT, 1);
    lone.answer(lone.asks(NOW), NOW, NOW + 30 * MILLI, LoneLimit.grant(ID, BORN, NONE));
    lone.take(1, NOW + SECOND);
    SliceStore.Ask ask = lone.asks(NOW + SECOND);
    assertThat(ask.uses()).isEmpty();
    assertThat(ask.lackedAtOnce()).isEqualTo(1);
    assertThat(ask.from() * 1_000)
        .isBetween(SHARED + SECOND + 29 * MILLI, SHARED + SECOND + 30 * MILLI);
  }

  @Test
  void permits_areThoseOfAMemberThatIsHeard() {
    LoneLimit lone = LoneLimit.known(PERMITS, 1, 0, 20);
    lone.take(20, NOW + 1);
    assertThat(lone.asks(NOW + PACE.renewalNanos()).uses()).containsExactly(new CellAmount(0, 20));
  }

  @Test
  void whatIsHeld_isReportedOfAllCellsThatSlicesMayBeGrantedIn() {
    LoneLimit lone = new LoneLimit(new LimitSpec.FixedWindow(100, 3 * SECOND), 1);
    long cell = SHARED / (3 * SECOND); // it began a second ago: the next one begins in 2 s
    lone.answer(lone.asks(NOW), NOW, cell, 20);
    lone.limit.take(new Weight(0, 5, 0), NOW);
    assertThat(lone.asks(NOW + 1).uses())
        .containsExactly(new CellAmount(cell, 5), new CellAmount(cell + 1, 5));
  }

  /** The window ends 30 ms after the last ask, and three are spent in that time. */
  @Test
  void whatCannotBeSpentBeforeItsWindowEnds_isNotCountedOnForTheNext() {
    LimitSpec spec = new LimitSpec.FixedWindow(1_000, 99_438 * MILLI);
    long cell = (SHARED + 230 * MILLI) / (99_438 * MILLI) - 1;
    LoneLimit lone = LoneLimit.known(spec, 1);
    lone.take(1, NOW);
    lone.answer(lone.asks(NOW), NOW, cell, 2);
    assertThat(lone.take(2, NOW + 50 * MILLI)).isTrue();
    SliceStore.Ask ask = lone.asks(NOW + 100 * MILLI);
    assertThat(ask.wanted()).isEqualTo(3);
    lone.answer(ask, NOW + 100 * MILLI, cell, 30, cell + 1, 5);
    assertThat(lone.take(24, NOW + 150 * MILLI)).isTrue();
    // half of 0.01 and of 0.24 a millisecond: 37.5 in 300 ms, of which 4 and the next 5 are there
    assertThat(lone.asks(NOW + 200 * MILLI).wanted()).isEqualTo(29);
    assertThat(lone.shared.freeTokens()).isEqualTo(11);
  }

  @Test
  void lackThatTheSlicesOfOneCellCover_isNotAskedForAgain() {
    LoneLimit lone = known();
    lone.take(10, NOW);
    SliceStore.Ask ask = lone.asks(NOW);
    SliceStore.Grant grant = LoneLimit.grant(ID, BORN, NONE, CELL, 10);
    lone.shared.answered(ask, grant, lone.clock, lone.lives, NOW + TTL, NOW);
    assertThat(lone.ask(NOW + 1)).isNull();
    assertThat(lone.shared.suffices(NOW + 1)).isTrue();
  }

  @Test
  void grantedLessThanLacks_isGivenUpForThoseWhomItSuffices() {
    LoneLimit lone = known();
    lone.take(10, NOW);
    lone.answer(lone.asks(NOW), NOW, CELL, 4);
    assertThat(lone.ask(NOW + 1))
        .isEqualTo(new SliceStore.Ask(ID, FIXED, CELL, List.of(), 10, 0, NONE, BORN));
  }

  @Test
  void grantedJustWhatLacked_isNotDenied() {
    LoneLimit lone = known();
    lone.take(10, NOW);
    lone.answer(lone.asks(NOW), NOW, CELL, 10);
    assertThat(lone.take(10, NOW)).isTrue();
    lone.take(10, NOW);
    assertThat(lone.asks(NOW + 1).wanted()).isEqualTo(10);
  }

  @Test
  void nobodyWaits_nothingIsToBeLookedAtAgain() {
    assertThat(known().shared.suffices(NOW)).isFalse();
  }

  @Test
  void spentSlices_areNotRenewed_norPermitsThatNobodyHas() {
    LoneLimit lone = known(CELL, 20);
    lone.take(20, NOW);
    lone.learning = true; // otherwise more is wanted
    assertThat(lone.ask(NOW + PACE.renewalNanos())).isNull();
    assertThat(LoneLimit.known(PERMITS, 1).ask(NOW + PACE.renewalNanos())).isNull();
  }

  @Test
  void slotsThatAreHad_areKeptAndNotRenewed() {
    LoneLimit lone = LoneLimit.known(STRICT, 1, (SHARED + SECOND) / 1_000, 3);
    assertThat(lone.ask(NOW + PACE.renewalNanos())).isNull();
    assertThat(lone.shared.freeTokens()).isEqualTo(3);
  }

  @Test
  void turn_isFirstOfThoseWhoWait_thenOfTheOldest_andLastOfThoseOfWhomNothingIsKnown() {
    LoneLimit idle = new LoneLimit(FIXED, 1);
    assertThat(idle.shared.turn()).isEqualTo(Long.MAX_VALUE);
    assertThat(known().shared.turn()).isEqualTo(NOW);
    LoneLimit waits = known();
    waits.take(10, NOW);
    assertThat(waits.shared.turn()).isEqualTo(NOW - PACE.renewalNanos());
    LoneLimit owes = new LoneLimit(FIXED, 1);
    owes.limit.charge(7, 0, NOW);
    owes.asks(NOW);
    assertThat(owes.shared.turn()).isEqualTo(NOW);
    idle.ask(NOW);
    idle.take(10, NOW);
    assertThat(idle.shared.turn()).isEqualTo(NOW - PACE.renewalNanos());
  }

  @Test
  void limit_isTheOneThatIsShared() {
    LoneLimit lone = known();
    assertThat(lone.shared.limit()).isSameAs(lone.limit);
    assertThat(lone.shared.demand()).isSameAs(lone.demand);
  }
}
