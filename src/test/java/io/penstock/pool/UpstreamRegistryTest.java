package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.quota.Charge;
import io.penstock.quota.MeteredLimit;
import io.penstock.quota.Quota;
import io.penstock.sharing.LocalLimitSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UpstreamRegistryTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;

  private final UpstreamRegistry upstreamRegistry =
      UpstreamFixture.registry(new LocalLimitSource(), WINDOW);

  private static UpstreamSpec spec(
      String id, Map<String, String> models, UpstreamSpec.Limits limits, @Nullable String off) {
    return UpstreamSetup.of(id)
        .apiKey("secret")
        .disabled(off)
        .models(models)
        .limits(limits)
        .guardNanos(50_000_000)
        .burstSeconds(5)
        .spec();
  }

  private static UpstreamSpec spec(String id, long rpm, long tpm) {
    return spec(id, Map.of(), new UpstreamSpec.Limits(rpm, tpm, 0, 0, 0, 0), null);
  }

  private Upstream applied(UpstreamSpec spec) {
    upstreamRegistry.apply(List.of(spec), NOW);
    Upstream upstream = upstreamRegistry.find(spec.id());
    assertThat(upstream).isNotNull();
    if (upstream == null) {
      throw new AssertionError();
    }
    return upstream;
  }

  private static Limit limit(Quota pool, LimitMeasure limitMeasure) {
    for (MeteredLimit metered : pool.limits()) {
      if (metered.measure() == limitMeasure) {
        return metered.limit();
      }
    }
    throw new AssertionError(pool + " has no limit of " + limitMeasure);
  }

  @Test
  void limits_becomeTrailingWindowsWithGuardAndBurst() {
    UpstreamSpec.Limits all = new UpstreamSpec.Limits(7, 1_200, 600, 60, 0, 0);
    Quota pool = applied(spec("u", Map.of(), all, null)).pool("m", NOW);
    assertThat(pool.limits()).hasSize(4);
    assertThat(limit(pool, LimitMeasure.REQUESTS).spec())
        .isEqualTo(new LimitSpec.TrailingWindow(7, WINDOW, 50_000_000, 1));
    assertThat(limit(pool, LimitMeasure.TOKENS).spec())
        .isEqualTo(new LimitSpec.TrailingWindow(1_200, WINDOW, 50_000_000, 100));
    assertThat(limit(pool, LimitMeasure.INPUT_TOKENS).capacity()).isEqualTo(600);
    assertThat(limit(pool, LimitMeasure.OUTPUT_TOKENS).capacity()).isEqualTo(60);
  }

  @Test
  void models_haveAPoolEach() {
    Upstream upstream = applied(spec("u", 10, 0));
    Quota one = upstream.pool("one", NOW);
    assertThat(upstream.pool("one", NOW)).isSameAs(one);
    assertThat(upstream.pool("two", NOW)).isNotSameAs(one);
    assertThat(upstream.pool(null, NOW)).isSameAs(upstream.pool("*", NOW));
    assertThat(upstream.pools()).containsOnlyKeys("one", "two", "*");
  }

  @Test
  void aliasesOfOneModel_shareItsPool() {
    UpstreamSpec.Limits limits = new UpstreamSpec.Limits(10, 0, 0, 0, 0, 0);
    Upstream upstream = applied(spec("u", Map.of("a", "own", "b", "own"), limits, null));
    assertThat(upstream.pool("a", NOW)).isSameAs(upstream.pool("b", NOW));
    assertThat(upstream.pools()).containsOnlyKeys("own");
    assertThat(upstream.spec().serves("a")).isTrue();
    assertThat(upstream.spec().serves("own")).isFalse();
    assertThat(upstream.spec().serves(null)).isTrue();
  }

  @Test
  void madeUpModels_getAThousandPoolsAndThenShareOne() {
    Upstream upstream = applied(spec("u", 10, 0));
    for (int model = 0; model < 1_000; model++) {
      upstream.pool("made-up-" + model, NOW);
    }
    Quota other = upstream.pool("made-up-1000", NOW);
    assertThat(upstream.pool("made-up-1001", NOW)).isSameAs(other);
    assertThat(upstream.pool("made-up-999", NOW)).isNotSameAs(other);
    assertThat(upstream.pools()).hasSize(1_001).containsKey("*").doesNotContainKey("made-up-1000");
  }

  @Test
  void reconfigured_poolsAndTheirSpendStay() {
    Upstream upstream = applied(spec("u", 10, 600));
    Quota pool = upstream.pool("m", NOW);
    pool.take(Cost.ofInput(40), NOW, new ArrayList<>());
    upstreamRegistry.apply(List.of(spec("u", 20, 60)), NOW);
    assertThat(upstreamRegistry.find("u")).isSameAs(upstream);
    assertThat(upstream.pool("m", NOW)).isSameAs(pool);
    assertThat(limit(pool, LimitMeasure.TOKENS).capacity()).isEqualTo(60);
    assertThat(limit(pool, LimitMeasure.TOKENS).balance(NOW).charged()).isEqualTo(40);
    assertThat(limit(pool, LimitMeasure.REQUESTS).balance(NOW).charged()).isEqualTo(1);
  }

  @Test
  void limitTakenAway_isGone_andComesBackWithItsSpend() {
    Upstream upstream = applied(spec("u", 10, 600));
    Quota pool = upstream.pool("m", NOW);
    pool.take(Cost.ofInput(40), NOW, new ArrayList<>());
    upstreamRegistry.apply(List.of(spec("u", 10, 0)), NOW);
    assertThat(pool.limits()).hasSize(1);
    upstreamRegistry.apply(List.of(spec("u", 10, 600)), NOW);
    assertThat(limit(pool, LimitMeasure.TOKENS).balance(NOW).charged()).isEqualTo(40);
    assertThat(limit(pool, LimitMeasure.REQUESTS).balance(NOW).charged()).isEqualTo(1);
  }

  @Test
  void jitter_widensPoolsOfNowAndLaterAndAfterAReload() {
    Upstream upstream = applied(spec("u", 1, 0));
    Quota before = upstream.pool("before", NOW);
    upstream.written(0);
    upstream.written(30_000_000);
    assertThat(upstream.jitterNanos()).isEqualTo(30_000_000);
    Quota later = upstream.pool("later", NOW);
    upstreamRegistry.apply(List.of(spec("u", 1, 100)), NOW);
    long free = NOW + SECOND + WINDOW + 50_000_000 + 30_000_000;
    for (Quota pool : List.of(before, later)) {
      pool.take(Cost.NO_TOKENS, NOW, new ArrayList<>());
      assertThat(limit(pool, LimitMeasure.REQUESTS).admittedAt(1, NOW)).isEqualTo(free);
    }
  }

  @Test
  void removed_isNotFound_andComesBackTheSame_withItsPoolsAndTheirSpend() {
    Upstream upstream = applied(spec("u", 10, 0));
    Quota pool = upstream.pool("m", NOW);
    List<Charge> running = new ArrayList<>();
    pool.take(Cost.NO_TOKENS, NOW, running);
    upstreamRegistry.apply(List.of(spec("v", 10, 0)), NOW);
    assertThat(upstreamRegistry.find("u")).isNull();
    assertThat(upstreamRegistry.all()).extracting(each -> each.spec().id()).containsExactly("v");
    Upstream back = applied(spec("u", 20, 0));
    assertThat(back).isSameAs(upstream);
    assertThat(back.pool("m", NOW)).isSameAs(pool);
    assertThat(limit(pool, LimitMeasure.REQUESTS).capacity()).isEqualTo(20);
    assertThat(limit(pool, LimitMeasure.REQUESTS).balance(NOW).charged()).isEqualTo(1);
    running.forEach(charge -> charge.giveBack(NOW));
    assertThat(limit(pool, LimitMeasure.REQUESTS).balance(NOW).charged()).isZero();
  }

  @Test
  void removedWhileUnwell_comesBackWell() {
    Upstream upstream = applied(spec("u", 10, 0));
    upstream.health().tryFrom(NOW + SECOND, SECOND);
    upstreamRegistry.apply(List.of(), NOW);
    assertThat(applied(spec("u", 10, 0)).health().opens(NOW)).isEqualTo(NOW);
  }

  @Test
  void disabled_saysSo() {
    UpstreamSpec off = spec("u", Map.of(), UpstreamSpec.Limits.NONE, "its key is not set");
    assertThat(applied(off).enabled()).isFalse();
    assertThat(applied(spec("u", 0, 0)).enabled()).isTrue();
    assertThat(upstreamRegistry.all()).hasSize(1);
  }

  @Test
  void shown_neverShowsTheCredential() {
    assertThat(spec("u", 1, 1).toString()).contains("u").doesNotContain("secret");
    assertThat(applied(spec("u", 1, 1)).toString()).doesNotContain("secret");
  }

  @Test
  void limitsAndTimeoutsOutOfRange_areRefused() {
    assertThatThrownBy(() -> new UpstreamSpec.Limits(-1, 0, 0, 0, 0, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new UpstreamSpec.Timeouts(1, 0, 1, 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new UpstreamSpec.Timeouts(1, 1, 1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
