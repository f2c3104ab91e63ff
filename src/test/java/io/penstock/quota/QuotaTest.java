package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class QuotaTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;

  private final Limit requests = new Limit(new LimitSpec.FixedWindow(3, WINDOW), NOW);
  private final Limit tokens = new Limit(new LimitSpec.FixedWindow(100, WINDOW), NOW);
  private final Limit input = new Limit(new LimitSpec.FixedWindow(60, WINDOW), NOW);
  private final Quota quota =
      new Quota(
          "q",
          ChargeRule.TOTAL,
          List.of(
              new MeteredLimit(LimitMeasure.REQUESTS, requests),
              new MeteredLimit(LimitMeasure.TOKENS, tokens),
              new MeteredLimit(LimitMeasure.INPUT_TOKENS, input)));
  private final List<Charge> charges = new ArrayList<>();

  private static DimensionSizes sizes(Cost cost) {
    DimensionSizes dimensionSizes = new DimensionSizes();
    new Ticket(1, cost, 0, NOW, Ticker.NEVER).sizesInto(dimensionSizes);
    return dimensionSizes;
  }

  @Test
  void allLimitsAdmit_allAreTaken() {
    assertThat(quota.take(new Cost(40, 20, 0), NOW, charges)).isTrue();
    assertThat(charges).hasSize(3);
    assertThat(requests.balance(NOW).charged()).isEqualTo(1);
    assertThat(tokens.balance(NOW).charged()).isEqualTo(40);
    assertThat(tokens.balance(NOW).reserved()).isEqualTo(20);
    assertThat(input.balance(NOW).charged()).isEqualTo(40);
  }

  @Test
  void lastLimitDoesNotAdmit_nothingIsTaken() {
    quota.take(new Cost(40, 0, 0), NOW, charges);
    assertThat(quota.take(new Cost(30, 0, 0), NOW, charges)).isFalse();
    assertThat(charges).hasSize(3);
    assertThat(requests.balance(NOW).charged()).isEqualTo(1);
    assertThat(tokens.balance(NOW).charged()).isEqualTo(40);
    assertThat(input.balance(NOW).charged()).isEqualTo(40);
  }

  @Test
  void admitsAndEarliest_agreeWithTake() {
    quota.take(new Cost(40, 20, 0), NOW, charges);
    for (long in = 0; in <= 60; in += 5) {
      for (long out = 0; out <= 60; out += 5) {
        Cost cost = new Cost(in, out, 0);
        List<Charge> tried = new ArrayList<>();
        boolean taken = quota.take(cost, NOW, tried);
        tried.forEach(charge -> charge.giveBack(NOW));
        assertThat(quota.admits(sizes(cost), NOW)).as("%s", cost).isEqualTo(taken);
        assertThat(quota.requestAdmission(sizes(cost), NOW) <= NOW).as("%s", cost).isEqualTo(taken);
      }
    }
  }

  @Test
  void lower_givesTheRoomOfEachDimension() {
    quota.take(new Cost(40, 20, 0), NOW, charges);
    DimensionSizes room = new DimensionSizes();
    assertThat(quota.lower(room, NOW)).isTrue();
    assertThat(room.get(CostDimension.TOTAL)).isEqualTo(40);
    assertThat(room.get(CostDimension.INPUT)).isEqualTo(20);
    assertThat(room.get(CostDimension.OUTPUT)).isEqualTo(Long.MAX_VALUE);
    quota.take(Cost.NO_TOKENS, NOW, charges);
    quota.take(Cost.NO_TOKENS, NOW, charges);
    assertThat(quota.lower(room, NOW)).isFalse();
  }

  @Test
  void inputThatCanNeverFit_isTheObstacleAndOutputIsNone() {
    assertThat(quota.obstacle(new Cost(61, 0, 0)))
        .isEqualTo(new Quota.Obstacle(61, 60, null, null));
    assertThat(quota.obstacle(new Cost(101, 0, 0)))
        .isEqualTo(new Quota.Obstacle(101, 100, null, null));
    assertThat(quota.obstacle(new Cost(60, 1_000_000, 0))).isNull();
    assertThat(quota.take(new Cost(60, 1_000_000, 0), NOW, charges)).isTrue();
    assertThat(quota.requestAdmission(sizes(new Cost(61, 0, 0)), NOW)).isEqualTo(Ticker.NEVER);
  }

  private static Quota ofTokens(ChargeRule chargeRule) {
    Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    return new Quota("o", chargeRule, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)));
  }

  private void assertNeverFits(Quota limited, Cost cost, long counted) {
    assertThat(limited.obstacle(cost)).isEqualTo(new Quota.Obstacle(counted, 100, "o", null));
    assertThat(limited.admits(sizes(cost), NOW)).isFalse();
    assertThat(limited.requestAdmission(sizes(cost), NOW)).isEqualTo(Ticker.NEVER);
    DimensionSizes room = new DimensionSizes();
    assertThat(limited.lower(room, NOW)).isTrue();
    assertThat(room.admits(sizes(cost))).isFalse();
    assertThat(limited.take(cost, NOW, charges)).isFalse();
  }

  private void assertFits(Quota limited, Cost cost) {
    assertThat(limited.obstacle(cost)).isNull();
    assertThat(limited.admits(sizes(cost), NOW)).isTrue();
    assertThat(limited.requestAdmission(sizes(cost), NOW)).isEqualTo(NOW);
    DimensionSizes room = new DimensionSizes();
    assertThat(limited.lower(room, NOW)).isTrue();
    assertThat(room.admits(sizes(cost))).isTrue();
    assertThat(limited.take(cost, NOW, charges)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENAI", "AZURE"})
  void statedMaximumAboveTheLimit_whereItCounts_neverFits(ChargeRule chargeRule) {
    assertNeverFits(ofTokens(chargeRule), new Cost(50, 10, 101), 101);
    assertFits(ofTokens(chargeRule), new Cost(50, 10, 100));
    assertThat(ofTokens(chargeRule).mostStatedOutput(new Cost(50, 10, 101))).isEqualTo(100);
    assertThat(ofTokens(chargeRule).mostStatedOutput(new Cost(101, 10, 1))).isNegative();
  }

  @Test
  void statedMaximumThatDoesNotFitBesideTheInput_ofBedrock_neverFits() {
    assertNeverFits(ofTokens(ChargeRule.BEDROCK), new Cost(50, 10, 51), 101);
    assertFits(ofTokens(ChargeRule.BEDROCK), new Cost(50, 10, 50));
    assertThat(ofTokens(ChargeRule.BEDROCK).mostStatedOutput(new Cost(70, 0, 0))).isEqualTo(30);
  }

  @ParameterizedTest
  @EnumSource(names = {"TOTAL", "WHOLE", "ANTHROPIC", "GEMINI"})
  void statedMaximumAboveTheLimit_whereItDoesNotCount_isCut(ChargeRule chargeRule) {
    assertFits(ofTokens(chargeRule), new Cost(50, 4_000, 4_000));
    assertThat(ofTokens(chargeRule).mostStatedOutput(new Cost(50, 4_000, 4_000)))
        .isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @EnumSource(names = {"OPENAI", "AZURE", "BEDROCK"})
  void expectedOutputAboveTheLimit_withoutAStatedMaximum_isCut(ChargeRule chargeRule) {
    assertFits(ofTokens(chargeRule), new Cost(50, 4_000, 0));
  }

  @ParameterizedTest
  @CsvSource({
    "TOTAL, 4000, 100",
    "WHOLE, 4000, 100",
    "ANTHROPIC, 4000, 100",
    "GEMINI, 4000, 100",
    "OPENAI, 100, 100",
    "AZURE, 100, 100",
    "OPENAI, 101, -1",
    "BEDROCK, 30, 70",
    "BEDROCK, 101, -1"
  })
  void inputAboveTheLimit_isToldTheLargestThatFits(ChargeRule chargeRule, long stated, long most) {
    Quota limited = ofTokens(chargeRule);
    assertThat(limited.mostInput(new Cost(101, 10, stated))).isEqualTo(most);
    if (most > 0) {
      assertThat(limited.mostInput(new Cost(most, 10, stated))).isEqualTo(Long.MAX_VALUE);
      assertFits(limited, new Cost(most, 10, stated));
    }
  }

  @Test
  void inputAboveSeveralLimits_isToldTheLargestThatFitsAll() {
    assertThat(quota.mostInput(new Cost(101, 0, 0))).isEqualTo(60);
    assertThat(quota.mostInput(new Cost(61, 0, 0))).isEqualTo(60);
    assertThat(quota.mostInput(new Cost(60, 900, 0))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void inputThatACacheIsExpectedToHave_fitsWhereItIsFree() {
    Cost cached = new Cost(150, 10, 0, 60);
    assertThat(ofTokens(ChargeRule.ANTHROPIC).mostInput(cached)).isEqualTo(Long.MAX_VALUE);
    assertThat(ofTokens(ChargeRule.TOTAL).mostInput(cached)).isEqualTo(100);
  }

  @Test
  void changed_isTheSameQuotaWithOtherLimits() {
    WaitList waitList = quota.waitList();
    quota.change(ChargeRule.OPENAI, List.of(new MeteredLimit(LimitMeasure.TOKENS, tokens)));
    assertThat(quota.waitList()).isSameAs(waitList);
    assertThat(quota.limits()).hasSize(1);
    quota.take(new Cost(1, 5, 30), NOW, charges);
    assertThat(tokens.balance(NOW).charged()).isEqualTo(30);
  }

  @Test
  void requestsOfTheDayUsedUp_theInstantItsDayEndsIsTold() {
    Limit day = new Limit(new LimitSpec.Day(2, null, 0), NOW);
    Limit running = new Limit(new LimitSpec.Concurrency(1), NOW);
    Quota daily =
        new Quota(
            "d",
            ChargeRule.TOTAL,
            List.of(
                new MeteredLimit(LimitMeasure.REQUESTS, day),
                new MeteredLimit(LimitMeasure.CONCURRENCY, running)));
    assertThat(daily.take(Cost.NO_TOKENS, NOW, charges)).isTrue();
    // the running request ends at an unknown time, but that is no day limit
    assertThat(daily.dayEndsNanos(NOW)).isEqualTo(NOW);
    charges.forEach(charge -> charge.settle(null, 0, NOW));
    assertThat(daily.take(Cost.NO_TOKENS, NOW + SECOND, charges)).isTrue();
    assertThat(daily.dayEndsNanos(NOW + SECOND)).isEqualTo(NOW + LimitSpec.Day.NANOS);
    long end = NOW + LimitSpec.Day.NANOS;
    assertThat(daily.dayEndsNanos(end)).isEqualTo(end);
    assertThat(quota.dayEndsNanos(NOW)).isEqualTo(NOW);
  }

  @Test
  void asManyRunAsMay_theNextGoesWhenOneHasEnded() {
    Limit running = new Limit(new LimitSpec.Concurrency(1), NOW);
    Quota one =
        new Quota(
            "c", ChargeRule.OPENAI, List.of(new MeteredLimit(LimitMeasure.CONCURRENCY, running)));
    Cost cost = new Cost(5, 6, 7);
    assertThat(one.take(cost, NOW, charges)).isTrue();
    assertThat(one.take(cost, NOW, charges)).isFalse();
    assertThat(one.lower(new DimensionSizes(), NOW)).isFalse();
    assertThat(one.requestAdmission(sizes(cost), NOW)).isEqualTo(Ticker.NEVER);
    Charge charge = charges.getFirst();
    charge.produce(3, NOW);
    assertThat(charge.roomFreed()).isFalse();
    assertThat(charge.settle(new TokenUsage(50, 0, 60), 60, NOW)).isZero();
    assertThat(charge.roomFreed()).isTrue();
    assertThat(one.take(cost, NOW, charges)).isTrue();
  }

  @Test
  void bedrock_roomIsThatOfInputAndStatedMaximum() {
    Quota bedrock =
        new Quota("b", ChargeRule.BEDROCK, List.of(new MeteredLimit(LimitMeasure.TOKENS, tokens)));
    assertThat(bedrock.take(new Cost(10, 5, 50), NOW, charges)).isTrue();
    DimensionSizes room = new DimensionSizes();
    assertThat(bedrock.lower(room, NOW)).isTrue();
    assertThat(room.get(CostDimension.MOST)).isEqualTo(40);
    assertThat(bedrock.admits(sizes(new Cost(10, 5, 30)), NOW)).isTrue();
    assertThat(bedrock.admits(sizes(new Cost(10, 5, 31)), NOW)).isFalse();
    assertThat(bedrock.admits(sizes(new Cost(10, 31, 0)), NOW)).isFalse();
  }

  @Test
  void projection_goesWhenTheLastOfItsLimitsAdmits() {
    quota.take(new Cost(60, 0, 0), NOW, charges);
    TicketBatch batch =
        TicketBatch.of(List.of(sizes(new Cost(50, 0, 0)), sizes(new Cost(30, 0, 0))));
    QuotaProjection projection = quota.projection(NOW);
    long first = projection.pass(batch, 0, 1, NOW);
    assertThat(first).isEqualTo(quota.requestAdmission(sizes(new Cost(50, 0, 0)), NOW));
    long second = projection.admittedAt(batch, 1, first);
    assertThat(second).isGreaterThanOrEqualTo(first);
    assertThat(projection.passable(batch, 1, 1, second)).isEqualTo(1);
    assertThat(quota.utilization(NOW)).isEqualTo(1.0);
  }
}
