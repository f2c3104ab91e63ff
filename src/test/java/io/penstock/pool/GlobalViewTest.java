package io.penstock.pool;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.quota.Quota;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.LocalLimitSource;
import io.penstock.time.WallClock;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests the utilization of upstreams by the requests of all instances. */
class GlobalViewTest {
  private static final long WINDOW = 60_000_000_000L;

  private final Map<LimitId, Long> elsewhere = new HashMap<>();
  private final UpstreamRegistry upstreamRegistry =
      new UpstreamRegistry(
          new LocalLimitSource(),
          WINDOW,
          UpstreamRegistry.UNLIMITED_TPM,
          WallClock.system(),
          (id, now) -> elsewhere.getOrDefault(id, 0L));

  private Quota pool() {
    UpstreamSpec spec =
        UpstreamSetup.of("u")
            .apiKey("secret")
            .models(Map.of("alias", "own"))
            .limits(100, 1_000, 0, 0)
            .spec();
    upstreamRegistry.apply(List.of(spec), 0);
    return Objects.requireNonNull(upstreamRegistry.find("u")).pool("alias", 0);
  }

  @Test
  void whatOthersSent_countsByItsUpstreamModelAndMeasure() {
    Quota pool = pool();
    assertThat(pool.globalUtilization(0)).isZero();
    elsewhere.put(
        new LimitId(LimitId.Kind.UPSTREAM, "u", "other", LimitMeasure.TOKENS, WINDOW), 900L);
    assertThat(pool.globalUtilization(0)).isZero();
    elsewhere.put(
        new LimitId(LimitId.Kind.UPSTREAM, "u", "own", LimitMeasure.TOKENS, WINDOW), 400L);
    assertThat(pool.globalUtilization(0)).isEqualTo(0.4);
    elsewhere.put(
        new LimitId(LimitId.Kind.UPSTREAM, "u", "own", LimitMeasure.REQUESTS, WINDOW), 60L);
    assertThat(pool.globalUtilization(0)).isEqualTo(0.6);
    assertThat(pool.utilization(0)).isZero();
  }
}
