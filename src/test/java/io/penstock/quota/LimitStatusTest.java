package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.HeldShares;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.ProviderNotice;
import io.penstock.limit.ShareDemand;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests the status of limits for a request: the amount it needs of each, and the instant from which
 * that is admitted.
 */
class LimitStatusTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;

  /** For how long a lower limit reported by a provider applies. */
  private static final long LOWERED = 120 * SECOND;

  private final AtomicInteger asked = new AtomicInteger();

  private final Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), NOW);
  private final MeteredLimit tokens = new MeteredLimit(LimitMeasure.TOKENS, limit);
  private final Quota quota = new Quota("q", ChargeRule.TOTAL, List.of(tokens));

  private static Ticket ticket(Cost cost) {
    return new Ticket(1, cost, 0, NOW, Ticker.NEVER);
  }

  private static DimensionSizes sizes(Cost cost) {
    DimensionSizes dimensionSizes = new DimensionSizes();
    ticket(cost).sizesInto(dimensionSizes);
    return dimensionSizes;
  }

  private LimitStatus stance(Cost cost) {
    return quota.statuses(ticket(cost), false, NOW).getFirst();
  }

  private LimitStatus expected(long needs, boolean awaitsShare, long until) {
    return new LimitStatus(tokens, needs, awaitsShare, false, until);
  }

  @Test
  void hasRoom_lacksNothing() {
    assertThat(stance(new Cost(60, 40, 0))).isEqualTo(expected(100, false, NOW));
    assertThat(stance(Cost.ofInput(100))).isEqualTo(expected(100, false, NOW));
  }

  @Test
  void expectedOutputIsMoreThanItCouldEverGive_needsAllOfIt() {
    assertThat(stance(new Cost(60, 1_000, 0))).isEqualTo(expected(100, false, NOW));
  }

  @Test
  void inputIsMoreThanItCouldEverGive_needsThatForEver() {
    assertThat(stance(Cost.ofInput(101))).isEqualTo(expected(101, false, Ticker.NEVER));
    assertThat(quota.roomFreeAt(sizes(Cost.ofInput(101)), NOW)).isEqualTo(Ticker.NEVER);
    assertThat(quota.roomFreeAt(sizes(Cost.ofInput(100)), NOW)).isEqualTo(NOW);
    assertThat(quota.admits(sizes(Cost.ofInput(100)), NOW)).isTrue();
    assertThat(quota.admits(sizes(Cost.ofInput(101)), NOW)).isFalse();
  }

  @Test
  void usedUp_untilItsWindowEnds() {
    limit.charge(90, 0, NOW);
    assertThat(stance(Cost.ofInput(11))).isEqualTo(expected(11, false, NOW + WINDOW));
    assertThat(stance(Cost.ofInput(10))).isEqualTo(expected(10, false, NOW));
  }

  @Test
  void keptFreeForAnswersThatRun_onlyAWakeUpHelps() {
    MeteredLimit running =
        new MeteredLimit(LimitMeasure.CONCURRENCY, new Limit(new LimitSpec.Concurrency(1), 0));
    Quota one = new Quota("c", ChargeRule.TOTAL, List.of(running));
    running.limit().take(new Weight(0, 1, 0), NOW);
    assertThat(one.statuses(ticket(Cost.NO_TOKENS), false, NOW))
        .containsExactly(new LimitStatus(running, 1, false, false, Ticker.NEVER));
  }

  @Test
  void shareLacks_itIsAwaited_andNobodyIsAskedForMore() {
    ShareDemand demand = HeldShares.none(limit, asked::incrementAndGet, NOW);
    assertThat(stance(Cost.ofInput(5))).isEqualTo(expected(5, true, Ticker.NEVER));
    assertThat(asked).hasValue(0);
    assertThat(demand.most()).isZero();
  }

  @Test
  void shareSuffices_noneIsAwaited() {
    HeldShares.none(limit, asked::incrementAndGet, NOW);
    HeldShares.give(limit, 50, NOW);
    assertThat(stance(Cost.ofInput(5))).isEqualTo(expected(5, false, NOW));
  }

  @Test
  void wholeChargeAtArrival_needsInputAndExpectedOutput_whateverTheTariff() {
    Quota openAi = new Quota("o", ChargeRule.OPENAI, List.of(tokens));
    Ticket stated = ticket(new Cost(10, 20, 50));
    assertThat(openAi.statuses(stated, false, NOW)).containsExactly(expected(50, false, NOW));
    assertThat(openAi.statuses(stated, true, NOW)).containsExactly(expected(30, false, NOW));
  }

  @Test
  void paced_goesWhenThePaceLetsIt() {
    MeteredLimit even = new MeteredLimit(LimitMeasure.REQUESTS, even());
    Quota one = new Quota("s", ChargeRule.TOTAL, List.of(even));
    assertThat(one.paceAllowsAt(sizes(Cost.NO_TOKENS), NOW)).isEqualTo(NOW);
    assertThat(one.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(one.paceAllowsAt(sizes(Cost.NO_TOKENS), NOW)).isEqualTo(NOW + SECOND);
    assertThat(one.statuses(ticket(Cost.NO_TOKENS), false, NOW).getFirst().untilNanos())
        .isEqualTo(NOW + SECOND);
  }

  /** Returns a limit with a pace of one per second. */
  private static Limit even() {
    return new Limit(new LimitSpec.TrailingWindow(60, WINDOW, 0, 1), NOW);
  }

  @Test
  void loweredByItsProvider_inputAboveThatWaitsForTheWholeLimit_andLessGoesNow() {
    Limit trailing =
        new Limit(
            new LimitSpec.TrailingWindow(100, WINDOW, 0, LimitSpec.TrailingWindow.UNPACED), NOW);
    Quota lowered =
        new Quota("l", ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.TOKENS, trailing)));
    trailing
        .feedback()
        .applyNotice(
            new ProviderNotice(0, NOW, 50, ProviderNotice.UNSTATED, ProviderNotice.UNSTATED), NOW);
    assertThat(trailing.capacity(NOW)).isEqualTo(50);
    assertThat(lowered.roomFreeAt(sizes(Cost.ofInput(50)), NOW)).isEqualTo(NOW);
    assertThat(lowered.roomFreeAt(sizes(Cost.ofInput(51)), NOW)).isEqualTo(NOW + LOWERED);
    assertThat(lowered.admits(sizes(Cost.ofInput(51)), NOW)).isFalse();
    DimensionSizes room = new DimensionSizes();
    assertThat(lowered.lower(room, NOW)).isTrue();
    assertThat(room.get(CostDimension.INPUT)).isEqualTo(50);
    assertThat(room.get(CostDimension.TOTAL))
        .as("expected output is cut")
        .isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void lastRequestIsLeft_oneWithoutTokensHasRoom_andThenNone() {
    Quota two =
        new Quota(
            "r",
            ChargeRule.TOTAL,
            List.of(
                new MeteredLimit(
                    LimitMeasure.REQUESTS, new Limit(new LimitSpec.FixedWindow(2, WINDOW), NOW))));
    assertThat(two.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(two.lower(new DimensionSizes(), NOW)).isTrue();
    assertThat(two.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(two.lower(new DimensionSizes(), NOW)).isFalse();
  }

  @Test
  void capacities_areTheMostThatEverGoesAtOnce() {
    Quota both =
        new Quota("b", ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.REQUESTS, even())));
    DimensionSizes dimensionSizes = sizes(new Cost(70, 80, 0));
    both.lowerToCapacity(dimensionSizes);
    assertThat(dimensionSizes.get(CostDimension.TOTAL)).as("no limit of tokens").isEqualTo(150);
    limit.charge(100, 0, NOW);
    quota.lowerToCapacity(dimensionSizes);
    assertThat(dimensionSizes.get(CostDimension.TOTAL)).isEqualTo(100);
    assertThat(dimensionSizes.get(CostDimension.INPUT)).isEqualTo(70);
  }

  @Test
  void quota_isShownByItsName() {
    assertThat(quota).hasToString("Quota[q]");
  }
}
