package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.DimensionSizes;
import io.penstock.queue.Ticket;
import io.penstock.time.Ticker;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected reads from a cache are not charged, within a bound. */
class CacheDiscountTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 1_000 * SECOND;
  private static final int CAPACITY = 1_000;

  private static final LimitSpec LIMIT =
      new LimitSpec.TrailingWindow(CAPACITY, 60 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);

  private final Limit limit = new Limit(LIMIT, NOW);
  private final List<Charge> charges = new ArrayList<>();

  private Quota quota(ChargeRule rule, LimitMeasure measure, int percent) {
    return new Quota(
        "q", new PoolTariff(rule, false, 1, percent), List.of(new MeteredLimit(measure, limit)));
  }

  private Quota input(int percent) {
    return quota(ChargeRule.ANTHROPIC, LimitMeasure.INPUT_TOKENS, percent);
  }

  private static Cost cost(long input, long cached) {
    return new Cost(input, 0, 0).withCached(cached);
  }

  private static DimensionSizes sizes(Cost cost) {
    DimensionSizes sizes = new DimensionSizes();
    new Ticket(1, cost, 0, NOW, Ticker.NEVER).sizesInto(sizes);
    return sizes;
  }

  private long charged() {
    return limit.balance(NOW).charged();
  }

  @Test
  void expectedReads_areNotChargedAndTheNextHasNoDiscountLeft() {
    Quota quota = input(20);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(100);
    assertThat(limit.discounts().sum()).isEqualTo(200);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(400);
    charges.getFirst().settleInput(new TokenUsage(300, 200, 1), NOW);
    assertThat(charged()).isEqualTo(400);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(500);
  }

  @Test
  void discountAlone_mayBeLargerThanTheBound() {
    Quota quota = input(1);
    assertThat(quota.take(cost(5_000, 4_900), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(100);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(400);
  }

  @Test
  void noTrust_chargesTheWholeInput() {
    assertThat(input(0).take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(300);
  }

  @ParameterizedTest
  @EnumSource(
      names = {"TOTAL", "OPENAI", "AZURE", "GEMINI", "BEDROCK"},
      value = ChargeRule.class)
  void whereReadsCountAtRelease_thereIsNoDiscount(ChargeRule rule) {
    assertThat(quota(rule, LimitMeasure.TOKENS, 20).take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(300);
    assertThat(limit.discounts().sum()).isZero();
  }

  @Test
  void cacheThatWasNotRead_isChargedWhenTheAnswerSaysSo() {
    input(20).take(cost(300, 200), NOW, charges);
    charges.getFirst().settleInput(new TokenUsage(300, 0, 1), NOW);
    assertThat(charged()).isEqualTo(300);
    assertThat(limit.discounts().sum()).isZero();
    assertThat(charges.getFirst().settle(new TokenUsage(300, 0, 9), 9, NOW)).isEqualTo(200);
    assertThat(charged()).isEqualTo(300);
  }

  @Test
  void cacheThatWasNotRead_endsTheDiscountsOfRequestsThatExpectItStill() {
    Quota quota = input(20);
    quota.take(cost(300, 200), NOW, charges);
    charges.getFirst().settleInput(new TokenUsage(300, 0, 1), NOW);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(600);
    assertThat(quota.admits(sizes(cost(500, 400)), NOW)).isFalse();
    charges.getLast().settleInput(new TokenUsage(300, 200, 1), NOW);
    assertThat(charges.getLast().roomFreed()).isTrue();
    assertThat(charged()).isEqualTo(400);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(500);
  }

  @Test
  void readsThatAreAQuarterLessThanExpected_endNoDiscounts() {
    Quota quota = input(20);
    quota.take(cost(300, 200), NOW, charges);
    charges.getFirst().settleInput(new TokenUsage(300, 150, 1), NOW);
    assertThat(charged()).isEqualTo(150);
    quota.take(cost(300, 200), NOW, charges);
    assertThat(charged()).isEqualTo(250);
    charges.getLast().settleInput(new TokenUsage(300, 149, 1), NOW);
    quota.take(cost(300, 200), NOW, charges);
    assertThat(charged()).isEqualTo(150 + 151 + 300);
  }

  @Test
  void requestThatTheProviderRefused_endsDiscountsUntilACacheWasRead() {
    Quota quota = input(20);
    quota.take(cost(300, 200), NOW, charges);
    charges.getFirst().rejected(NOW);
    quota.take(cost(300, 200), NOW, charges);
    assertThat(charged()).isEqualTo(300);
    quota.take(cost(300, 0), NOW, charges);
    charges.getLast().settleInput(new TokenUsage(300, 100, 1), NOW);
    assertThat(charged()).isEqualTo(500);
    assertThat(limit.discounts().free(200, true)).as("nothing was expected of that one").isZero();
    charges.get(1).settleInput(new TokenUsage(300, 200, 1), NOW);
    assertThat(limit.discounts().free(200, false)).isEqualTo(200);
  }

  @Test
  void discountsInDoubt_areKeptFreeUntilTheirAnswersStateTheirInput() {
    Quota quota = input(20);
    quota.take(cost(300, 150), NOW, charges);
    quota.take(cost(300, 50), NOW, charges);
    assertThat(charged()).isEqualTo(400);
    charges.getFirst().settleInput(new TokenUsage(300, 0, 1), NOW);
    assertThat(charged()).isEqualTo(550);
    assertThat(limit.discounts().inDoubt()).isEqualTo(50);
    assertThat(quota.admits(sizes(cost(401, 0)), NOW)).isFalse();
    assertThat(quota.roomFreeAt(sizes(cost(401, 0)), NOW)).isGreaterThan(NOW);
    assertThat(quota.take(cost(401, 0), NOW, charges)).isFalse();
    assertThat(quota.take(cost(400, 0), NOW, charges)).isTrue();
    charges.get(1).settleInput(new TokenUsage(300, 50, 1), NOW);
    assertThat(charges.get(1).roomFreed()).isTrue();
    assertThat(quota.take(cost(50, 0), NOW, charges)).isTrue();
    assertThat(charged()).isEqualTo(CAPACITY);
  }

  @Test
  void requestWithoutInput_goesAlthoughDiscountsAreInDoubt() {
    Quota quota = input(20);
    quota.take(cost(500, 100), NOW, charges);
    quota.take(cost(650, 100), NOW, charges);
    charges.getFirst().rejected(NOW);
    quota.take(cost(350, 0), NOW, charges);
    assertThat(charged()).isEqualTo(900);
    assertThat(limit.discounts().inDoubt()).isEqualTo(100);
    assertThat(quota.admits(sizes(cost(1, 0)), NOW)).isFalse();
    assertThat(quota.admits(sizes(cost(0, 0)), NOW)).isTrue();
    assertThat(quota.roomFreeAt(sizes(cost(0, 0)), NOW)).isEqualTo(NOW);
    charges.get(1).broken(NOW);
    assertThat(charged()).isEqualTo(CAPACITY);
  }

  @Test
  void unusedLimit_admitsARequestAlthoughDiscountsAreInDoubt() {
    Quota quota = input(100);
    quota.take(cost(300, 300), NOW, charges);
    quota.take(cost(300, 300), NOW, charges);
    charges.getFirst().rejected(NOW);
    assertThat(limit.discounts().inDoubt()).isEqualTo(300);
    assertThat(quota.take(cost(CAPACITY, 0), NOW, charges)).isTrue();
  }

  @Test
  void answerThatBreaksOffWithoutUsage_isChargedAsIfNothingWasRead() {
    input(20).take(cost(300, 200), NOW, charges);
    charges.getFirst().broken(NOW);
    assertThat(charged()).isEqualTo(300);
    assertThat(limit.discounts().sum()).isZero();
  }

  @Test
  void requestThatWasNeverSent_givesBackChargeAndDiscount() {
    input(20).take(cost(300, 200), NOW, charges);
    charges.getFirst().giveBack(NOW);
    assertThat(charged()).isZero();
    assertThat(limit.discounts().sum()).isZero();
  }

  @Test
  void requestWithoutRoom_opensNoDiscount() {
    Quota quota = input(20);
    quota.take(cost(950, 0), NOW, charges);
    assertThat(quota.take(cost(300, 200), NOW, charges)).isFalse();
    assertThat(limit.discounts().sum()).isZero();
  }

  @Test
  void inputAboveTheLimit_fitsByWhatIsNotCached() {
    Quota quota = input(20);
    assertThat(quota.obstacle(cost(3_000, 1_999)))
        .isEqualTo(new Quota.Obstacle(1_001, 1_000, null, null));
    assertThat(quota.obstacle(cost(3_000, 2_000))).isNull();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 35, 100})
  void allQuestions_agreeWithTake(int percent) {
    for (LimitMeasure measure : List.of(LimitMeasure.INPUT_TOKENS, LimitMeasure.TOKENS)) {
      Quota quota = quota(ChargeRule.ANTHROPIC, measure, percent);
      Random random = new Random(percent);
      for (int round = 0; round < 3_000; round++) {
        long now = NOW + round * SECOND / 4;
        int in = random.nextInt(600);
        Cost cost =
            new Cost(in, random.nextInt(100), 0).withCached(random.nextInt(in + 1) / 2 * 2L);
        DimensionSizes room = new DimensionSizes();
        boolean fits = quota.lower(room, now) && room.admits(sizes(cost));
        boolean admitted = quota.admits(sizes(cost), now);
        boolean free = quota.roomFreeAt(sizes(cost), now) <= now;
        List<Charge> taken = new ArrayList<>();
        boolean took = quota.take(cost, now, taken);
        assertThat(List.of(fits, admitted, free)).as("round %s", round).containsOnly(took);
        charges.addAll(taken);
        if (charges.size() > 3 || (!took && !charges.isEmpty())) {
          long read = random.nextInt(in + 1);
          charges.removeFirst().settle(new TokenUsage(in, read, 5), 5, now);
        }
      }
      charges.forEach(each -> each.giveBack(NOW + 1_000 * SECOND));
      charges.clear();
      assertThat(limit.discounts().sum()).isZero();
    }
  }

  @Test
  void cacheThatStopsWorking_makesTheProviderCountAtMostTheBoundMore() {
    Quota quota = input(20);
    Random random = new Random(7);
    long counted = 0;
    for (int round = 0; round < 500; round++) {
      Cost cost = cost(100 + random.nextInt(100), 50 + random.nextInt(50));
      if (quota.take(cost, NOW, charges)) {
        counted += cost.inputTokens();
      }
    }
    assertThat(counted).isBetween(1_000L, 1_200L);
    charges.forEach(each -> each.broken(NOW));
    assertThat(charged()).isEqualTo(counted);
  }

  /** A request on its way to the provider, or back from it. */
  private record Sent(Charge charge, long prompt, long read, boolean refused) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 20, 35, 60})
  void cacheThatStopsWorking_makesTheProviderRefuseNoMoreThanTheBoundHoldsPrompts(int percent) {
    int smallest = 100;
    long most = Math.ceilDiv(CAPACITY * percent / 100, smallest);
    long worst = 0;
    for (int seed = 0; seed < 500; seed++) {
      long refused = refused(percent, smallest, new Random(seed));
      assertThat(refused).as("429 with seed %s", seed).isLessThanOrEqualTo(most);
      worst = Math.max(worst, refused);
    }
    assertThat(worst).as("the bound is reached").isEqualTo(most);
  }

  /** Returns how many requests a provider refuses whose cache stops working at some instant. */
  private static long refused(int percent, int smallest, Random random) {
    Limit own = new Limit(LIMIT, NOW);
    PoolTariff tariff = new PoolTariff(ChargeRule.ANTHROPIC, false, 1, percent);
    Quota quota = new Quota("q", tariff, List.of(new MeteredLimit(LimitMeasure.INPUT_TOKENS, own)));
    int stopsAt = random.nextInt(200);
    long counted = 0;
    long refused = 0;
    List<Sent> coming = new ArrayList<>();
    List<Sent> answered = new ArrayList<>();
    for (int round = 0; round < 600; round++) {
      long prompt = (long) smallest + random.nextInt(smallest / 7);
      List<Charge> taken = new ArrayList<>();
      if (quota.take(cost(prompt, prompt * 6 / 7), NOW, taken)) {
        coming.add(new Sent(taken.getFirst(), prompt, 0, false));
      }
      if (!coming.isEmpty() && random.nextBoolean()) {
        // the provider looks at those that are on their way in any order
        Sent sent = coming.remove(random.nextInt(coming.size()));
        long read = round < stopsAt ? sent.prompt() * 6 / 7 : 0;
        long counts = sent.prompt() - read;
        boolean fits = counted + counts <= CAPACITY;
        counted += fits ? counts : 0;
        refused += fits ? 0 : 1;
        answered.add(new Sent(sent.charge(), sent.prompt(), read, !fits));
      }
      if (!answered.isEmpty() && random.nextBoolean()) {
        Sent back = answered.remove(random.nextInt(answered.size()));
        if (back.refused()) {
          back.charge().rejected(NOW);
        } else {
          back.charge().settleInput(new TokenUsage(back.prompt(), back.read(), 1), NOW);
        }
      }
    }
    return refused;
  }
}
