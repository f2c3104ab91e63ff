package io.penstock.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.fake.PatientWaits;
import io.penstock.quota.Quota;
import io.penstock.sharing.LimitId;
import io.penstock.sharing.WatchedLimits;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class IdleModelQuotasTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long WINDOW = 60 * SECOND;
  private static final long NOW = 1_000 * SECOND;
  private static final Map<String, ModelLimits> OTHERS = Map.of("n", new ModelLimits(1, 0, 0));
  private static final Map<String, ModelLimits> TERMS =
      Map.of("m", new ModelLimits(1, 0, 0), "n", new ModelLimits(1, 0, 0));

  private final WatchedLimits source = new WatchedLimits();
  private final ModelQuotas quotas = new ModelQuotas(source, WINDOW);

  /** Takes a request from a model's quota, and keeps no reference to the quota. */
  private boolean take(String model, long now) {
    return Objects.requireNonNull(quotas.of(model, now))
        .take(Cost.ofInput(1), now, new ArrayList<>());
  }

  private void sweep(Map<String, ModelLimits> terms, long now) {
    quotas.configure(List.of(), terms, now);
  }

  private void assertLimitsOf(String... models) {
    assertThat(source.ids.stream().map(LimitId::id).distinct()).containsExactlyInAnyOrder(models);
  }

  @Test
  void quotaThatNobodyHas_isForgottenWhenAnotherIsUsed_oneWindowAfterTheLastLook() {
    sweep(TERMS, NOW);
    WeakReference<Quota> idle = new WeakReference<>(quotas.of("m", NOW));
    sweep(TERMS, NOW);
    PatientWaits.await()
        .until(
            () -> {
              System.gc();
              return idle.get() == null;
            });
    quotas.of("n", NOW + 1);
    quotas.of("n", NOW + WINDOW);
    assertLimitsOf("m", "n");
    quotas.of("n", NOW + WINDOW + 1);
    assertLimitsOf("n");
  }

  @Test
  void quotaThatOwes_isKeptThoughNobodyHasIt_alsoWhileItIsNotConfigured() {
    sweep(TERMS, NOW);
    assertThat(take("m", NOW)).isTrue();
    for (int each = 0; each < 3; each++) {
      sweep(OTHERS, NOW);
      System.gc();
    }
    assertLimitsOf("m");
    sweep(TERMS, NOW);
    assertThat(take("m", NOW)).isFalse();
  }

  @Test
  void quotaThatSomebodyHas_isTheOnlyOneOfItsName_howeverIdle() {
    sweep(TERMS, NOW);
    Quota had = quotas.of("m", NOW);
    for (int each = 0; each < 3; each++) {
      sweep(TERMS, NOW);
      System.gc();
    }
    assertThat(quotas.of("m", NOW)).isSameAs(had);
    assertLimitsOf("m");
  }
}
