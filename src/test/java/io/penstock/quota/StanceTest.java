package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Dimension;
import io.penstock.cost.Measure;
import io.penstock.cost.Weight;
import io.penstock.limit.Demand;
import io.penstock.limit.Grid;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.Notice;
import io.penstock.limit.Supplied;
import io.penstock.limit.Tally;
import io.penstock.queue.Sizes;
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
class StanceTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;

  /** For how long a lower limit reported by a provider applies. */
  private static final long LOWERED = 120 * SECOND;

  private final AtomicInteger asked = new AtomicInteger();
  private final Demand demand = new Demand(asked::incrementAndGet);

  private final Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), NOW);
  private final Metered tokens = new Metered(Measure.TOKENS, limit);
  private final Quota quota = new Quota("q", Charge.TOTAL, List.of(tokens));

  private static Ticket ticket(Cost cost) {
    return new Ticket(1, cost, 0, NOW, Ticker.NEVER);
  }

  private static Sizes sizes(Cost cost) {
    Sizes sizes = new Sizes();
    sizes.set(ticket(cost));
    return sizes;
  }

  private Stance stance(Cost cost) {
    return quota.stances(ticket(cost), false, NOW).getFirst();
  }

  private Stance expected(long needs, boolean dry, long until) {
    return new Stance(tokens, needs, dry, until);
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
    assertThat(quota.opens(sizes(Cost.ofInput(101)), NOW)).isEqualTo(Ticker.NEVER);
    assertThat(quota.opens(sizes(Cost.ofInput(100)), NOW)).isEqualTo(NOW);
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
    Metered running = new Metered(Measure.CONCURRENCY, new Limit(new LimitSpec.Concurrency(1), 0));
    Quota one = new Quota("c", Charge.TOTAL, List.of(running));
    running.limit().take(new Weight(0, 1, 0), NOW);
    assertThat(one.stances(ticket(Cost.NO_TOKENS), false, NOW))
        .containsExactly(new Stance(running, 1, false, Ticker.NEVER));
  }

  @Test
  void slicesLack_isDry_andNobodyIsAskedForThem() {
    limit.share(demand, NOW);
    assertThat(stance(Cost.ofInput(5))).isEqualTo(expected(5, true, Ticker.NEVER));
    assertThat(asked).hasValue(0);
    assertThat(demand.least()).isZero();
  }

  @Test
  void slicesSuffice_isNotDry() {
    limit.share(demand, NOW);
    limit.tally(new Grid(7, NOW, WINDOW), 7, 7, 100, NOW);
    limit.granted(
        List.of(new Tally.Counted(7, 50)),
        new Supplied(100, Long.MAX_VALUE, 0, 0),
        cell -> new Grid.Span(NOW, NOW + SECOND));
    assertThat(stance(Cost.ofInput(5))).isEqualTo(expected(5, false, NOW));
  }

  @Test
  void wholeChargeAtArrival_needsInputAndExpectedOutput_whateverTheTariff() {
    Quota openAi = new Quota("o", Charge.OPENAI, List.of(tokens));
    Ticket stated = ticket(new Cost(10, 20, 50));
    assertThat(openAi.stances(stated, false, NOW)).containsExactly(expected(50, false, NOW));
    assertThat(openAi.stances(stated, true, NOW)).containsExactly(expected(30, false, NOW));
  }

  @Test
  void paced_goesWhenThePaceLetsIt() {
    Metered even = new Metered(Measure.REQUESTS, even());
    Quota one = new Quota("s", Charge.TOTAL, List.of(even));
    assertThat(one.paced(sizes(Cost.NO_TOKENS), NOW)).isEqualTo(NOW);
    assertThat(one.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(one.paced(sizes(Cost.NO_TOKENS), NOW)).isEqualTo(NOW + SECOND);
    assertThat(one.stances(ticket(Cost.NO_TOKENS), false, NOW).getFirst().untilNanos())
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
    Quota lowered = new Quota("l", Charge.TOTAL, List.of(new Metered(Measure.TOKENS, trailing)));
    trailing.told(new Notice(0, NOW, 50, Notice.UNSAID, Notice.UNSAID), NOW);
    assertThat(trailing.capacity(NOW)).isEqualTo(50);
    assertThat(lowered.opens(sizes(Cost.ofInput(50)), NOW)).isEqualTo(NOW);
    assertThat(lowered.opens(sizes(Cost.ofInput(51)), NOW)).isEqualTo(NOW + LOWERED);
    assertThat(lowered.admits(sizes(Cost.ofInput(51)), NOW)).isFalse();
    Sizes room = new Sizes();
    assertThat(lowered.lower(room, NOW)).isTrue();
    assertThat(room.get(Dimension.INPUT)).isEqualTo(50);
    assertThat(room.get(Dimension.TOTAL)).as("expected output is cut").isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void lastRequestIsLeft_oneWithoutTokensHasRoom_andThenNone() {
    Quota two =
        new Quota(
            "r",
            Charge.TOTAL,
            List.of(
                new Metered(
                    Measure.REQUESTS, new Limit(new LimitSpec.FixedWindow(2, WINDOW), NOW))));
    assertThat(two.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(two.lower(new Sizes(), NOW)).isTrue();
    assertThat(two.take(Cost.NO_TOKENS, NOW, new ArrayList<>())).isTrue();
    assertThat(two.lower(new Sizes(), NOW)).isFalse();
  }

  @Test
  void capacities_areTheMostThatEverGoesAtOnce() {
    Quota both = new Quota("b", Charge.TOTAL, List.of(new Metered(Measure.REQUESTS, even())));
    Sizes sizes = sizes(new Cost(70, 80, 0));
    both.lowerToCapacity(sizes);
    assertThat(sizes.get(Dimension.TOTAL)).as("no limit of tokens").isEqualTo(150);
    limit.charge(100, 0, NOW);
    quota.lowerToCapacity(sizes);
    assertThat(sizes.get(Dimension.TOTAL)).isEqualTo(100);
    assertThat(sizes.get(Dimension.INPUT)).isEqualTo(70);
  }

  @Test
  void quota_isShownByItsName() {
    assertThat(quota).hasToString("Quota[q]");
  }
}
