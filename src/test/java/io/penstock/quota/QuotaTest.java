package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Charge;
import io.penstock.cost.Cost;
import io.penstock.cost.Dimension;
import io.penstock.cost.Measure;
import io.penstock.cost.Usage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
          Charge.TOTAL,
          List.of(
              new Metered(Measure.REQUESTS, requests),
              new Metered(Measure.TOKENS, tokens),
              new Metered(Measure.INPUT_TOKENS, input)));
  private final List<Spend> spends = new ArrayList<>();

  private static Sizes sizes(Cost cost) {
    Sizes sizes = new Sizes();
    sizes.set(new Ticket(1, cost, 0, NOW, Ticker.NEVER));
    return sizes;
  }

  @Test
  void allLimitsAdmit_allAreTaken() {
    assertThat(quota.take(new Cost(40, 20, 0), NOW, spends)).isTrue();
    assertThat(spends).hasSize(3);
    assertThat(requests.balance(NOW).charged()).isEqualTo(1);
    assertThat(tokens.balance(NOW).charged()).isEqualTo(40);
    assertThat(tokens.balance(NOW).held()).isEqualTo(20);
    assertThat(input.balance(NOW).charged()).isEqualTo(40);
  }

  @Test
  void lastLimitDoesNotAdmit_nothingIsTaken() {
    quota.take(new Cost(40, 0, 0), NOW, spends);
    assertThat(quota.take(new Cost(30, 0, 0), NOW, spends)).isFalse();
    assertThat(spends).hasSize(3);
    assertThat(requests.balance(NOW).charged()).isEqualTo(1);
    assertThat(tokens.balance(NOW).charged()).isEqualTo(40);
    assertThat(input.balance(NOW).charged()).isEqualTo(40);
  }

  @Test
  void admitsAndEarliest_agreeWithTake() {
    quota.take(new Cost(40, 20, 0), NOW, spends);
    for (long in = 0; in <= 60; in += 5) {
      for (long out = 0; out <= 60; out += 5) {
        Cost cost = new Cost(in, out, 0);
        List<Spend> tried = new ArrayList<>();
        boolean taken = quota.take(cost, NOW, tried);
        tried.forEach(spend -> spend.giveBack(NOW));
        assertThat(quota.admits(sizes(cost), NOW)).as("%s", cost).isEqualTo(taken);
        assertThat(quota.earliest(sizes(cost), NOW) <= NOW).as("%s", cost).isEqualTo(taken);
      }
    }
  }

  @Test
  void lower_givesTheRoomOfEachDimension() {
    quota.take(new Cost(40, 20, 0), NOW, spends);
    Sizes room = new Sizes();
    assertThat(quota.lower(room, NOW)).isTrue();
    assertThat(room.get(Dimension.TOTAL)).isEqualTo(40);
    assertThat(room.get(Dimension.INPUT)).isEqualTo(20);
    assertThat(room.get(Dimension.OUTPUT)).isEqualTo(Long.MAX_VALUE);
    quota.take(Cost.NO_TOKENS, NOW, spends);
    quota.take(Cost.NO_TOKENS, NOW, spends);
    assertThat(quota.lower(room, NOW)).isFalse();
  }

  @Test
  void inputThatCanNeverFit_isTheObstacleAndOutputIsNone() {
    assertThat(quota.obstacle(new Cost(61, 0, 0))).isEqualTo(new Quota.Obstacle(61, 60));
    assertThat(quota.obstacle(new Cost(101, 0, 0))).isEqualTo(new Quota.Obstacle(101, 100));
    assertThat(quota.obstacle(new Cost(60, 1_000_000, 0))).isNull();
    assertThat(quota.take(new Cost(60, 1_000_000, 0), NOW, spends)).isTrue();
    assertThat(quota.earliest(sizes(new Cost(61, 0, 0)), NOW)).isEqualTo(Ticker.NEVER);
  }

  @Test
  void statedMaximumAboveAnOpenAiLimit_isCutAndGoesWhenTheLimitIsEmpty() {
    Limit limit = new Limit(new LimitSpec.FixedWindow(100, WINDOW), NOW);
    Quota openAi = new Quota("o", Charge.OPENAI, List.of(new Metered(Measure.TOKENS, limit)));
    Cost cost = new Cost(50, 10, 4_000);
    assertThat(openAi.obstacle(cost)).isNull();
    assertThat(openAi.admits(sizes(cost), NOW)).isTrue();
    assertThat(openAi.take(cost, NOW, spends)).isTrue();
    assertThat(openAi.admits(sizes(cost), NOW)).isFalse();
    assertThat(openAi.take(Cost.ofInput(1), NOW, spends)).isFalse();
  }

  @Test
  void changed_isTheSameQuotaWithOtherLimits() {
    Line line = quota.line();
    quota.change(Charge.OPENAI, List.of(new Metered(Measure.TOKENS, tokens)));
    assertThat(quota.line()).isSameAs(line);
    assertThat(quota.limits()).hasSize(1);
    quota.take(new Cost(1, 5, 30), NOW, spends);
    assertThat(tokens.balance(NOW).charged()).isEqualTo(30);
  }

  @Test
  void requestsOfTheDayUsedUp_theInstantItsDayEndsIsTold() {
    Limit day = new Limit(new LimitSpec.Day(2, null, 0), NOW);
    Limit running = new Limit(new LimitSpec.Concurrency(1), NOW);
    Quota daily =
        new Quota(
            "d",
            Charge.TOTAL,
            List.of(new Metered(Measure.REQUESTS, day), new Metered(Measure.CONCURRENCY, running)));
    assertThat(daily.take(Cost.NO_TOKENS, NOW, spends)).isTrue();
    // the running request ends at an unknown time, but that is no day limit
    assertThat(daily.dayEndsNanos(NOW)).isEqualTo(NOW);
    spends.forEach(spend -> spend.settle(null, 0, NOW));
    assertThat(daily.take(Cost.NO_TOKENS, NOW + SECOND, spends)).isTrue();
    assertThat(daily.dayEndsNanos(NOW + SECOND)).isEqualTo(NOW + LimitSpec.Day.NANOS);
    long end = NOW + LimitSpec.Day.NANOS;
    assertThat(daily.dayEndsNanos(end)).isEqualTo(end);
    assertThat(quota.dayEndsNanos(NOW)).isEqualTo(NOW);
  }

  @Test
  void asManyRunAsMay_theNextGoesWhenOneHasEnded() {
    Limit running = new Limit(new LimitSpec.Concurrency(1), NOW);
    Quota one = new Quota("c", Charge.OPENAI, List.of(new Metered(Measure.CONCURRENCY, running)));
    Cost cost = new Cost(5, 6, 7);
    assertThat(one.take(cost, NOW, spends)).isTrue();
    assertThat(one.take(cost, NOW, spends)).isFalse();
    assertThat(one.lower(new Sizes(), NOW)).isFalse();
    assertThat(one.earliest(sizes(cost), NOW)).isEqualTo(Ticker.NEVER);
    Spend spend = spends.getFirst();
    spend.produce(3, NOW);
    assertThat(spend.eased()).isFalse();
    assertThat(spend.settle(new Usage(50, 0, 60), 60, NOW)).isZero();
    assertThat(spend.eased()).isTrue();
    assertThat(one.take(cost, NOW, spends)).isTrue();
  }

  @Test
  void bedrock_roomIsThatOfInputAndStatedMaximum() {
    Quota bedrock = new Quota("b", Charge.BEDROCK, List.of(new Metered(Measure.TOKENS, tokens)));
    assertThat(bedrock.take(new Cost(10, 5, 50), NOW, spends)).isTrue();
    Sizes room = new Sizes();
    assertThat(bedrock.lower(room, NOW)).isTrue();
    assertThat(room.get(Dimension.MOST)).isEqualTo(40);
    assertThat(bedrock.admits(sizes(new Cost(10, 5, 30)), NOW)).isTrue();
    assertThat(bedrock.admits(sizes(new Cost(10, 5, 31)), NOW)).isFalse();
    assertThat(bedrock.admits(sizes(new Cost(10, 31, 0)), NOW)).isFalse();
  }

  @Test
  void forecast_isTheLongestOfItsLimits() {
    quota.take(new Cost(60, 0, 0), NOW, spends);
    Sizes ahead = sizes(new Cost(50, 0, 0));
    // input: with 60 used, 50 and 30 more need a second window after the next
    assertThat(quota.forecast(1, ahead, sizes(new Cost(30, 0, 0)), NOW)).isEqualTo(2 * WINDOW);
    assertThat(quota.utilization(NOW)).isEqualTo(1.0);
  }
}
