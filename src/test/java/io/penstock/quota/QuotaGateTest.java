package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.PoolTariff;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.queue.DimensionSizes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuotaGateTest {
  private static final long SECOND = 1_000_000_000L;

  private final QuotaGate quotaGate = new QuotaGate();

  @Test
  void newGate_letsPass() {
    assertThat(quotaGate.opens(5)).isEqualTo(5);
    assertThat(quotaGate.pass(5)).isTrue();
    assertThat(quotaGate.onTrial()).isFalse();
  }

  @Test
  void shut_opensAtItsInstant_andNotSooner() {
    quotaGate.shut(10);
    assertThat(quotaGate.pass(9)).isFalse();
    assertThat(quotaGate.opens(9)).isEqualTo(10);
    assertThat(quotaGate.pass(10)).isTrue();
    assertThat(quotaGate.pass(10)).isTrue();
  }

  @Test
  void shutTwice_laterInstantStands() {
    quotaGate.shut(10);
    quotaGate.shut(7);
    assertThat(quotaGate.opens(0)).isEqualTo(10);
  }

  @Test
  void onTrial_onePassesEachTime_untilOpened() {
    quotaGate.tryFrom(10, 5);
    assertThat(quotaGate.onTrial()).isTrue();
    assertThat(quotaGate.pass(9)).isFalse();
    assertThat(quotaGate.pass(11)).isTrue();
    assertThat(quotaGate.pass(11)).isFalse();
    assertThat(quotaGate.opens(11)).isEqualTo(16);
    assertThat(quotaGate.pass(16)).isTrue();
    quotaGate.open();
    assertThat(quotaGate.pass(16)).isTrue();
    assertThat(quotaGate.pass(16)).isTrue();
  }

  @Test
  void trialThatIsNotSent_isTheNextRequests() {
    quotaGate.tryFrom(10, 5);
    assertThat(quotaGate.pass(11)).isTrue();
    quotaGate.untried(11);
    assertThat(quotaGate.opens(11)).isEqualTo(11);
    assertThat(quotaGate.pass(12)).isTrue();
    quotaGate.untried(11);
    assertThat(quotaGate.opens(12)).as("another is on trial by now").isEqualTo(17);
    quotaGate.open();
    quotaGate.untried(12);
    assertThat(quotaGate.onTrial()).isFalse();
  }

  @Test
  void shutOnTrial_staysOnTrial() {
    quotaGate.tryFrom(10, 5);
    quotaGate.shut(20);
    assertThat(quotaGate.opens(0)).isEqualTo(20);
    assertThat(quotaGate.onTrial()).isTrue();
  }

  @Test
  void trialWithoutLength_isRefused() {
    assertThatThrownBy(() -> quotaGate.tryFrom(0, 0)).hasMessageContaining("trialNanos is 0");
  }

  @Test
  void quotaBehindShutGate_givesNothing_andSaysWhen() {
    Limit limit = new Limit(new LimitSpec.TrailingWindow(10, 60 * SECOND, 0, 10), 0);
    Quota quota =
        new Quota(
            "q",
            PoolTariff.of(ChargeRule.TOTAL),
            List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit)),
            List.of(quotaGate));
    DimensionSizes dimensionSizes = new DimensionSizes();
    dimensionSizes.setAll(1);
    quotaGate.shut(SECOND);

    assertThat(quota.lower(new DimensionSizes(), 0)).isFalse();
    assertThat(quota.admits(dimensionSizes, 0)).isFalse();
    assertThat(quota.opens(dimensionSizes, 0)).isEqualTo(SECOND);
    assertThat(quota.forecast(0, dimensionSizes, dimensionSizes, 0)).isEqualTo(SECOND);
    assertThat(quota.take(Cost.ofInput(1), 0, new ArrayList<>())).isFalse();
    assertThat(limit.balance(0).charged()).as("given back").isZero();

    List<Charge> spends = new ArrayList<>();
    assertThat(quota.take(Cost.ofInput(1), SECOND, spends)).isTrue();
    assertThat(spends).hasSize(1);
  }
}
