package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.LimitSpec;
import io.penstock.pool.UpstreamSpec.Day;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.pool.UpstreamSpec.SharedPool;
import io.penstock.quota.Charge;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.KnownPeerCounts;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.WallClock;
import io.penstock.time.ZoneMidnights;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PoolLimitsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final long GUARD = 50_000_000;
  private static final WallClock NOON = () -> 1_772_366_400_000L; // 2026-03-01 12:00 UTC

  private final UpstreamRegistry upstreamRegistry =
      new UpstreamRegistry(
          new LocalLimitSource(),
          WINDOW,
          UpstreamRegistry.UNLIMITED_TPM,
          NOON,
          KnownPeerCounts.NONE);

  private static UpstreamSpec spec(
      Limits limits, List<SharedPool> pools, Day day, ChargeRule charge, boolean settlesUsage) {
    return UpstreamSetup.of("u")
        .limits(limits)
        .pools(pools)
        .day(day)
        .charge(charge)
        .settlesUsage(settlesUsage)
        .guardNanos(GUARD)
        .burstSeconds(5)
        .spec();
  }

  private static UpstreamSpec spec(Limits limits, ChargeRule charge) {
    return spec(limits, List.of(), Day.FIRST_USE, charge, false);
  }

  private static UpstreamSpec sharing(Limits limits, SharedPool... pools) {
    return spec(limits, List.of(pools), Day.FIRST_USE, ChargeRule.TOTAL, false);
  }

  private Upstream applied(UpstreamSpec spec) {
    upstreamRegistry.apply(List.of(spec), NOW);
    return Objects.requireNonNull(upstreamRegistry.find("u"));
  }

  private static List<LimitSpec> specs(Quota pool) {
    return pool.limits().stream().map(metered -> metered.limit().spec()).toList();
  }

  private static LimitSpec trailing(long capacity, long window, long burst) {
    return new LimitSpec.TrailingWindow(capacity, window, GUARD, burst);
  }

  private static int admitted(Quota pool, int asked) {
    int admitted = 0;
    for (int each = 0; each < asked; each++) {
      admitted += pool.take(Cost.NO_TOKENS, NOW, new ArrayList<>()) ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void everyLimit_isOneOfItsPool() {
    Quota pool =
        applied(spec(new Limits(60, 1_200, 600, 120, 9, 4), ChargeRule.TOTAL)).pool("m", NOW);
    assertThat(pool.limits().stream().map(MeteredLimit::measure))
        .containsExactly(
            LimitMeasure.REQUESTS,
            LimitMeasure.REQUESTS,
            LimitMeasure.CONCURRENCY,
            LimitMeasure.TOKENS,
            LimitMeasure.INPUT_TOKENS,
            LimitMeasure.OUTPUT_TOKENS);
    assertThat(specs(pool))
        .containsExactly(
            trailing(60, WINDOW, 5),
            new LimitSpec.Day(9, null, GUARD),
            new LimitSpec.Concurrency(4),
            trailing(1_200, WINDOW, 100),
            trailing(600, WINDOW, 50),
            trailing(120, WINDOW, 10));
  }

  @Test
  void calendarDays_endAtTheMidnightOfTheirZone() {
    Limits limits = new Limits(0, 0, 0, 0, 9, 0);
    for (Day day : List.of(Day.UTC, Day.PACIFIC)) {
      UpstreamSpec spec = spec(limits, List.of(), day, ChargeRule.GEMINI, false);
      ZoneId zone = day == Day.UTC ? ZoneOffset.UTC : ZoneId.of("America/Los_Angeles");
      assertThat(specs(applied(spec).pool("m", NOW)))
          .containsExactly(new LimitSpec.Day(9, new ZoneMidnights(zone, NOON), GUARD));
    }
  }

  @Test
  void usedUpForTheDay_tellsWhenItEnds() {
    Limits limits = new Limits(0, 0, 0, 0, 2, 0);
    UpstreamSpec spec = spec(limits, List.of(), Day.UTC, ChargeRule.TOTAL, false);
    Quota pool = applied(spec).pool("m", NOW);
    assertThat(admitted(pool, 5)).isEqualTo(2);
    assertThat(pool.dayEndsNanos(NOW)).isEqualTo(NOW + 12 * 3_600 * SECOND + GUARD);
  }

  @Test
  void azure_looksAtOneSecondAndAtTen() {
    Quota pool = applied(spec(new Limits(600, 0, 0, 0, 0, 0), ChargeRule.AZURE)).pool("m", NOW);
    assertThat(specs(pool))
        .containsExactly(
            trailing(600, WINDOW, 50), trailing(10, SECOND, 10), trailing(100, 10 * SECOND, 100));
    assertThat(admitted(pool, 20)).isEqualTo(10);
  }

  @Test
  void azureWithFewRequestsAMinute_atLeastOneGoesInEachPart() {
    Quota pool = applied(spec(new Limits(4, 0, 0, 0, 0, 0), ChargeRule.AZURE)).pool("m", NOW);
    assertThat(specs(pool))
        .containsExactly(
            trailing(4, WINDOW, 1), trailing(1, SECOND, 1), trailing(1, 10 * SECOND, 1));
    assertThat(
            applied(spec(new Limits(0, 0, 7, 0, 0, 0), ChargeRule.AZURE)).pool("m", NOW).limits())
        .hasSize(1);
  }

  @Test
  void tokenLimitOfAMockEndpoint_isNone() {
    long much = UpstreamRegistry.UNLIMITED_TPM;
    Upstream upstream = applied(spec(new Limits(0, much, 0, 0, 0, 0), ChargeRule.TOTAL));
    assertThat(upstream.pool("m", NOW).limits()).isEmpty();
    applied(spec(new Limits(0, much - 1, 0, 0, 0, 0), ChargeRule.TOTAL));
    assertThat(upstream.pool("m", NOW).limits()).hasSize(1);
  }

  @Test
  void modelsOfASharedPool_spendTheSame() {
    SharedPool shared = new SharedPool("big", Set.of("a", "b"), new Limits(0, 0, 0, 0, 3, 0));
    Upstream upstream = applied(sharing(new Limits(0, 0, 0, 0, 5, 0), shared));
    assertThat(upstream.pool("a", NOW)).isSameAs(upstream.pool("b", NOW));
    assertThat(admitted(upstream.pool("a", NOW), 2)).isEqualTo(2);
    assertThat(admitted(upstream.pool("b", NOW), 5)).isEqualTo(1);
    assertThat(admitted(upstream.pool("c", NOW), 9)).isEqualTo(5);
    assertThat(upstream.pools().keySet()).containsExactlyInAnyOrder("big", "c");
  }

  @Test
  void reloaded_sharedPoolAndItsSpendStay() {
    SharedPool few = new SharedPool("big", Set.of("a", "b"), new Limits(0, 0, 0, 0, 3, 0));
    Upstream upstream = applied(sharing(Limits.NONE, few));
    Quota pool = upstream.pool("a", NOW);
    admitted(pool, 2);
    SharedPool more = new SharedPool("big", Set.of("b", "c"), new Limits(0, 0, 0, 0, 4, 0));
    applied(sharing(Limits.NONE, more));
    assertThat(upstream.pool("c", NOW)).isSameAs(pool);
    assertThat(admitted(pool, 9)).isEqualTo(2);
    assertThat(upstream.pool("a", NOW).limits()).isEmpty();
  }

  @Test
  void sharedPoolsAreNeverTooMany() {
    SharedPool shared = new SharedPool("big", Set.of("a"), new Limits(7, 0, 0, 0, 0, 0));
    Upstream upstream = applied(sharing(Limits.NONE, shared));
    for (int model = 0; model < 1_100; model++) {
      upstream.pool("made-up-" + model, NOW);
    }
    assertThat(specs(upstream.pool("a", NOW))).containsExactly(trailing(7, WINDOW, 1));
  }

  @Test
  void settledByUsage_chargeThatIsKeptElsewhereIsNot() {
    UpstreamSpec spec =
        spec(new Limits(0, 600, 0, 0, 0, 0), List.of(), Day.FIRST_USE, ChargeRule.OPENAI, true);
    Quota pool = applied(spec).pool("m", NOW);
    List<Charge> charges = new ArrayList<>();
    pool.take(new Cost(10, 20, 300), NOW, charges);
    charges.getFirst().settle(new TokenUsage(10, 0, 5), 5, NOW);
    assertThat(pool.limits().getFirst().limit().balance(NOW).charged()).isEqualTo(15);
  }

  @Test
  void bedrockPool_burnsAsFastAsTheFastestOfItsModels() {
    SharedPool shared =
        new SharedPool(
            "both",
            Set.of("amazon.nova-pro-v1:0", "anthropic.claude-sonnet-4-5-v1:0"),
            new Limits(0, 6_000, 0, 0, 0, 0));
    UpstreamSpec spec =
        spec(
            new Limits(0, 6_000, 0, 0, 0, 0),
            List.of(shared),
            Day.FIRST_USE,
            ChargeRule.BEDROCK,
            false);
    assertThat(PoolLimits.tariff(spec, "both").burndown()).isEqualTo(5);
    assertThat(PoolLimits.tariff(spec, "amazon.nova-lite-v1:0").burndown()).isEqualTo(1);
    assertThat(PoolLimits.tariff(spec, "anthropic.claude-opus-4-v1:0").burndown()).isEqualTo(5);
  }
}
