package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Abroad;
import io.penstock.limit.Answer;
import io.penstock.limit.Cut;
import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Regional;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.refusal.Reason;
import io.penstock.refusal.Refusal;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the refusals of requests that do not wait. */
class UnmetTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;

  private final Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), 0);
  private final Metered metered = new Metered(Measure.TOKENS, limit, Reason.KEY_TPM);
  private final Demand demand = new Demand(() -> {});

  private Unmet unmet(long amount, long now) {
    Weight weight = Weight.exactly(amount);
    return new Unmet(metered, weight, limit.decide(weight, now));
  }

  private static Refusal usedUp(long wait) {
    String detail = "k has used up its limit of 100: " + Reason.KEY_TPM.code();
    return new Refusal(Reason.KEY_TPM, detail, wait);
  }

  @Test
  void usedUp_isRefusedUntilItIsWholeAgain() {
    limit.charge(100, 0, 0);
    assertThat(unmet(1, SECOND).dry(SECOND)).isNull();
    assertThat(unmet(1, SECOND).refusal("k", SECOND)).isEqualTo(usedUp(WINDOW - SECOND));
    assertThat(unmet(1, SECOND).refusal("k", 2 * WINDOW)).as("that is over").isEqualTo(usedUp(0));
  }

  @Test
  void nobodyKnowsUntilWhen_noTimeIsAdvised() {
    Unmet unmet = new Unmet(metered, Weight.exactly(1), new Answer.Wait(Ticker.NEVER));
    assertThat(unmet.refusal("k", SECOND)).isEqualTo(usedUp(Refusal.UNKNOWN));
  }

  @Test
  void moreThanItCouldEverGive_isToldSo_andIsNotDry() {
    limit.share(demand, 0);
    Unmet unmet = unmet(101, 0);
    assertThat(unmet.dry(0)).isNull();
    assertThat(unmet.refusal("k", 0))
        .isEqualTo(
            Refusal.of(Reason.COST_EXCEEDS_CAPACITY, "k: token cost 101 exceeds capacity 100"));
  }

  @Test
  void slicesLack_isDry() {
    limit.share(demand, 0);
    assertThat(unmet(1, 0).dry(0)).isEqualTo(new Account.Dry(demand, Ticker.NEVER));
  }

  @Test
  void gateIsShut_isNotDry_nobodyIsTold_andThereIsNoReason() {
    assertThat(Unmet.GATE.dry(0)).isNull();
    assertThat(Unmet.GATE.told(0)).isSameAs(Unmet.GATE);
    assertThatThrownBy(() -> Unmet.GATE.refusal("upstream", 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("upstream refuses, and has no reason to");
  }

  @Test
  void shutWhileNothingIsHeardOfOthers_isToldWhatItWasShutWith() {
    Refusal unheard = new Refusal(Reason.LIMIT_UNAVAILABLE, "nothing is heard", 2 * SECOND);
    limit.share(demand, 0);
    limit.cutOff(new Cut.Shut(unheard));
    assertThat(unmet(1, 0).refusal("k", 0)).isSameAs(unheard);
    assertThat(unmet(1, 0).dry(0)).isNull();
  }

  private void barred() {
    limit.share(demand, 0);
    limit.tally(new Grid(7, 0, WINDOW), 7, 7, 100, 0);
    limit.granted(
        List.of(new Tally.Counted(7, 0)),
        new Supplied(100, 0, 0, WINDOW, true, 0, WINDOW),
        cell -> Grid.Span.NEVER);
  }

  @Test
  void spendingMayBeLost_isToldSo_andThatNothingIsGrantedUntilItsWindowEnds() {
    barred();
    Refusal refusal = unmet(1, SECOND).refusal("k", SECOND);
    assertThat(refusal.reason()).isEqualTo(Reason.LIMIT_RECOVERING);
    assertThat(refusal.detail())
        .isEqualTo(
            "k: Redis has lost data, and an instance that is gone may have used up the limit of"
                + " 100; it grants nothing more until its window ends");
    assertThat(refusal.retryAfterNanos()).isEqualTo(WINDOW - SECOND);
  }

  @Test
  void spendingMayBeLost_andItIsUsedUpHereAnyway_isToldThat() {
    barred();
    limit.charge(100, 0, 0);
    assertThat(unmet(1, SECOND).refusal("k", SECOND).reason()).isEqualTo(Reason.KEY_TPM);
  }

  @Test
  void sharedByRegions_othersAreToldOfWhoIsRefused() {
    List<Long> denials = new ArrayList<>();
    LimitSpec spec = limit.spec();
    Abroad abroad =
        Abroad.of(
            spec, Regional.cellNanos(spec), 0, List.of(), (cell, capacity) -> denials.add(cell));
    Regional.bind(limit, abroad, 0);
    limit.charge(100, 0, 0);
    Unmet unmet = unmet(1, 0);
    assertThat(denials).isEmpty();
    assertThat(unmet.told(0)).isSameAs(unmet);
    assertThat(denials).containsExactly(0L);
  }
}
