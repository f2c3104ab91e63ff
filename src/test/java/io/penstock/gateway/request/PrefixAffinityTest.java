package io.penstock.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.pool.UpstreamSetup;
import io.penstock.pool.UpstreamSpec;
import io.penstock.pool.UpstreamSpec.Limits;
import io.penstock.prefix.CacheLearner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PrefixAffinityTest {
  private static final long SECOND = 1_000_000_000L;
  private static final CacheLearner.Home HOME = new CacheLearner.Home("home", 20_000, 1);

  private static UpstreamSpec upstream(String id, ChargeRule charge, Limits limits) {
    Limits large = new Limits(0, 0, 400_000, 0, 0, 0);
    return UpstreamSetup.of(id)
        .models(Map.of("model", "own"))
        .limits(limits)
        .pools(List.of(new UpstreamSpec.SharedPool("shared", Set.of("large"), large)))
        .charge(charge)
        .spec();
  }

  private static UpstreamSpec counting(String id, long tpm, long itpm) {
    return upstream(id, ChargeRule.ANTHROPIC, new Limits(0, tpm, itpm, 0, 0, 0));
  }

  private static long waitNanos(UpstreamSpec... others) {
    List<UpstreamSpec> upstreams = new ArrayList<>(List.of(others));
    upstreams.add(counting("home", 0, 0));
    return PrefixAffinity.waitNanos(HOME, "model", upstreams);
  }

  @Test
  void wait_isTheTimeInWhichTheFastestOtherUpstreamTakesWhatIsCached() {
    assertThat(waitNanos(counting("u", 0, 300_000))).isEqualTo(4 * SECOND);
    assertThat(waitNanos(counting("u", 240_000, 300_000))).isEqualTo(5 * SECOND);
    assertThat(waitNanos(counting("u", 0, 300_000), counting("v", 0, 400_000)))
        .isEqualTo(3 * SECOND);
  }

  @Test
  void wait_endsAfterTenSeconds() {
    assertThat(waitNanos(counting("u", 0, 1_000))).isEqualTo(10 * SECOND);
  }

  @Test
  void noUpstream_countsAsFasterThanProvidersProcessPrompts() {
    assertThat(waitNanos(counting("u", 0, 0))).isEqualTo(2 * SECOND);
    assertThat(waitNanos(counting("u", 0, 60_000_000))).isEqualTo(2 * SECOND);
    assertThat(waitNanos(upstream("u", ChargeRule.GEMINI, new Limits(0, 1_000, 0, 0, 0, 0))))
        .as("its limit counts what is read from a cache, too")
        .isEqualTo(2 * SECOND);
  }

  @Test
  void modelInASharedPool_hasTheLimitsOfThatPool() {
    UpstreamSpec shared =
        UpstreamSetup.like(counting("u", 0, 1_000)).models(Map.of("model", "large")).spec();
    assertThat(waitNanos(shared)).isEqualTo(3 * SECOND);
    assertThat(shared.budget().limitsOf("large").itpm()).isEqualTo(400_000);
    assertThat(shared.budget().limitsOf("own").itpm()).isEqualTo(1_000);
  }
}
