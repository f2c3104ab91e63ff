package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitAnswer;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.OutageCap;
import io.penstock.limit.RegionCells;
import io.penstock.limit.RegionCounts;
import io.penstock.limit.ShareDemand;
import io.penstock.limit.ShareNews;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the refusals of requests that do not wait. */
class DenialTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;

  private final Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), 0);
  private final MeteredLimit metered =
      new MeteredLimit(LimitMeasure.TOKENS, limit, RefusalReason.KEY_TPM);

  private Denial denialOf(long amount, long now) {
    Weight weight = Weight.exactly(amount);
    return new Denial(metered, weight, Cost.NO_TOKENS, limit.decide(weight, now));
  }

  private static Refusal usedUp(long wait) {
    return new Refusal(RefusalReason.KEY_TPM, "k: 100 tokens a minute", wait);
  }

  @Test
  void usedUp_isRefusedUntilItIsWholeAgain() {
    limit.charge(100, 0, 0);
    assertThat(denialOf(1, SECOND).awaitingShare(SECOND)).isNull();
    assertThat(denialOf(1, SECOND).refusal("k", SECOND)).isEqualTo(usedUp(WINDOW - SECOND));
    assertThat(denialOf(1, SECOND).refusal("k", 2 * WINDOW))
        .as("that is over")
        .isEqualTo(usedUp(0));
  }

  @Test
  void nobodyKnowsUntilWhen_noTimeIsAdvised() {
    Denial denial =
        new Denial(metered, Weight.exactly(1), Cost.NO_TOKENS, new LimitAnswer.Wait(Ticker.NEVER));
    assertThat(denial.refusal("k", SECOND)).isEqualTo(usedUp(Refusal.UNKNOWN));
  }

  @Test
  void moreThanItCouldEverGive_isToldSo_andIsNotUndecided() {
    var _ = HeldShares.none(limit, () -> {}, 0);
    Denial denial = denialOf(101, 0);
    assertThat(denial.awaitingShare(0)).isNull();
    assertThat(denial.refusal("k", 0))
        .isEqualTo(
            Refusal.of(
                RefusalReason.COST_EXCEEDS_CAPACITY, "k: token cost 101 exceeds capacity 100"));
  }

  @Test
  void lessThanTheWholeLimit_isNeverSaidNeverToFit() {
    Limit shared = new Limit(limit.spec(), 0);
    HeldShares.none(shared, () -> {}, 0); // and this instance has no part of it yet
    LimitSpec spec = new LimitSpec.TrailingWindow(100, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED);
    Limit learned = new Limit(spec, 0);
    learned.take(Weight.exactly(60), 0);
    learned.feedback().refused(0, 60, SECOND);
    assertThat(learned.capacity(SECOND)).as("the ceiling that was learned").isLessThan(100);
    for (Limit each : List.of(shared, learned)) {
      assertThat(each.decide(Weight.exactly(100), SECOND)).isInstanceOf(LimitAnswer.Wait.class);
      assertThat(each.decide(Weight.exactly(101), SECOND)).isEqualTo(new LimitAnswer.Refuse(100));
    }
  }

  @Test
  void shareLacks_itIsAwaited() {
    ShareDemand demand = HeldShares.none(limit, () -> {}, 0);
    assertThat(denialOf(1, 0).awaitingShare(0))
        .isEqualTo(new CallerAccount.AwaitingShare(demand, Ticker.NEVER));
  }

  @Test
  void shareCameAfterTheDenial_itIsTriedAgainAtOnce() {
    ShareDemand demand = HeldShares.none(limit, () -> {}, 0);
    Denial denial = denialOf(1, 0);
    HeldShares.give(limit, 1, 0);
    assertThat(denial.awaitingShare(0)).isEqualTo(new CallerAccount.AwaitingShare(demand, 0));
    assertThat(limit.take(Weight.exactly(1), 0)).isInstanceOf(LimitAnswer.Receipt.class);
    HeldShares.deny(limit, 1, 0);
    assertThat(denial.awaitingShare(0)).isNull();
  }

  @Test
  void gateIsShut_isNotUndecided_nobodyIsTold_andThereIsNoReason() {
    assertThat(Denial.GATE.awaitingShare(0)).isNull();
    assertThat(Denial.GATE.reportToRegions(0)).isSameAs(Denial.GATE);
    assertThatThrownBy(() -> Denial.GATE.refusal("upstream", 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("upstream refuses, and has no reason to");
  }

  @Test
  void shutWhileNothingIsHeardOfOthers_isToldWhatItWasShutWith() {
    Refusal unheard = new Refusal(RefusalReason.LIMIT_UNAVAILABLE, "nothing is heard", 2 * SECOND);
    HeldShares.none(limit, () -> {}, 0);
    limit.sharing().cutOff(new OutageCap.Shut(unheard), 0);
    assertThat(denialOf(1, 0).refusal("k", 0)).isSameAs(unheard);
    assertThat(denialOf(1, 0).awaitingShare(0)).isNull();
  }

  private void away(long share) {
    HeldShares.none(limit, () -> {}, 0);
    HeldShares.give(limit, share, 0);
    HeldShares.contact(limit, ShareNews.Contact.AWAY);
  }

  @Test
  void shareIsUsedUpWhileTheStoreIsAway_isToldSo_andWhenItsWindowEnds() {
    away(30);
    limit.charge(30, 0, 0);
    Denial denial = denialOf(1, SECOND);
    assertThat(denial.awaitingShare(SECOND)).isNull();
    assertThat(denial.refusal("k", SECOND))
        .isEqualTo(
            new Refusal(
                RefusalReason.LIMIT_UNAVAILABLE,
                "k: 100 tokens a minute; Redis is away, and this instance has used up its share",
                WINDOW - SECOND));
  }

  @Test
  void noShareWhileTheStoreIsAway_noTimeIsAdvised() {
    away(0);
    assertThat(denialOf(1, SECOND).refusal("k", SECOND).reason())
        .isEqualTo(RefusalReason.LIMIT_UNAVAILABLE);
    assertThat(denialOf(1, SECOND).refusal("k", SECOND).retryAfterNanos())
        .isEqualTo(Refusal.UNKNOWN);
  }

  @Test
  void storeIsAway_andAllIsUsedUpHereAnyway_isToldThat() {
    away(100);
    limit.charge(100, 0, 0);
    assertThat(denialOf(1, SECOND).refusal("k", SECOND)).isEqualTo(usedUp(WINDOW - SECOND));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "100 | ''",
        "70 | ', 30 of them left; the request needs 50 of input and 0 of output, "
            + "and at most 30 of input fit'",
        "20 | ', 80 of them left, and requests that run keep them'"
      })
  void sharedBudgetThatOthersUsed_isToldWhatIsLeftOverAllInstances(long used, String rest) {
    Limit day = new Limit(new LimitSpec.Day(100, null, 0), 0);
    MeteredLimit budget = new MeteredLimit(LimitMeasure.TOKENS, day, RefusalReason.KEY_BUDGET);
    HeldShares.none(day, () -> {}, 0);
    HeldShares.told(day, used, 0);
    Cost cost = Cost.ofInput(50);
    Denial denial =
        new Denial(budget, Weight.exactly(50), cost, new LimitAnswer.Wait(LimitSpec.Day.NANOS));
    assertThat(denial.refusal("k", 0).detail()).isEqualTo("k: 100 tokens a day" + rest);
    long retry = used == 20 ? Refusal.DEFAULT_RETRY_NANOS : LimitSpec.Day.NANOS;
    assertThat(denial.refusal("k", 0).retryAfterNanos()).isEqualTo(retry);
  }

  @Test
  void sharedByRegions_othersAreToldOfWhoIsRefused() {
    List<Long> denials = new ArrayList<>();
    LimitSpec spec = limit.spec();
    RegionCounts regionCounts =
        RegionCounts.of(
            spec, RegionCells.cellNanos(spec), 0, List.of(), (cell, capacity) -> denials.add(cell));
    limit.sharing().bindRegions(regionCounts, 0);
    limit.charge(100, 0, 0);
    Denial denial = denialOf(1, 0);
    assertThat(denials).isEmpty();
    assertThat(denial.reportToRegions(0)).isSameAs(denial);
    assertThat(denials).containsExactly(0L);
  }
}
