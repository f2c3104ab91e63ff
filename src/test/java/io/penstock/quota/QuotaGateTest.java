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

  private final QuotaGate gate = new QuotaGate();

  @Test
  void newGate_letsPass() {
    assertThat(gate.opens(5)).isEqualTo(5);
    assertThat(gate.pass(5)).isTrue();
    assertThat(gate.onTrial()).isFalse();
  }

  @Test
  void shut_opensAtItsInstant_andNotSooner() {
    gate.shut(10);
    assertThat(gate.pass(9)).isFalse();
    assertThat(gate.opens(9)).isEqualTo(10);
    assertThat(gate.pass(10)).isTrue();
    assertThat(gate.pass(10)).isTrue();
  }

  @Test
  void shutTwice_laterInstantStands() {
    gate.shut(10);
    gate.shut(7);
    assertThat(gate.opens(0)).isEqualTo(10);
  }

  @Test
  void onTrial_onePassesEachTime_untilOpened() {
    gate.tryFrom(10, 5);
    assertThat(gate.onTrial()).isTrue();
    assertThat(gate.pass(9)).isFalse();
    assertThat(gate.pass(11)).isTrue();
    assertThat(gate.pass(11)).isFalse();
    assertThat(gate.opens(11)).isEqualTo(16);
    assertThat(gate.pass(16)).isTrue();
    gate.open();
    assertThat(gate.pass(16)).isTrue();
    assertThat(gate.pass(16)).isTrue();
  }

  @Test
  void trialThatIsNotSent_isTheNextRequests() {
    gate.tryFrom(10, 5);
    assertThat(gate.pass(11)).isTrue();
    gate.untried(11);
    assertThat(gate.opens(11)).isEqualTo(11);
    assertThat(gate.pass(12)).isTrue();
    gate.untried(11);
    assertThat(gate.opens(12)).as("another is on trial by now").isEqualTo(17);
    gate.open();
    gate.untried(12);
    assertThat(gate.onTrial()).isFalse();
  }

  @Test
  void shutOnTrial_staysOnTrial() {
    gate.tryFrom(10, 5);
    gate.shut(20);
    assertThat(gate.opens(0)).isEqualTo(20);
    assertThat(gate.onTrial()).isTrue();
  }

  @Test
  void trialWithoutLength_isRefused() {
    assertThatThrownBy(() -> gate.tryFrom(0, 0)).hasMessageContaining("trialNanos is 0");
  }

  @Test
  void quotaBehindShutGate_givesNothing_andSaysWhen() {
    Limit limit = new Limit(new LimitSpec.TrailingWindow(10, 60 * SECOND, 0, 10), 0);
    Quota quota =
        new Quota(
            "q",
            PoolTariff.of(ChargeRule.TOTAL),
            List.of(new MeteredLimit(LimitMeasure.REQUESTS, limit)),
            List.of(gate));
    DimensionSizes sizes = new DimensionSizes();
    sizes.setAll(1);
    gate.shut(SECOND);

    assertThat(quota.lower(new DimensionSizes(), 0)).isFalse();
    assertThat(quota.admits(sizes, 0)).isFalse();
    assertThat(quota.roomFreeAt(sizes, 0)).isEqualTo(SECOND);
    TicketBatch one = TicketBatch.ofEqual(1, sizes);
    assertThat(quota.projection(0).admittedAt(one, 0, 0)).isEqualTo(SECOND);
    assertThat(quota.take(Cost.ofInput(1), 0, new ArrayList<>())).isFalse();
    assertThat(limit.balance(0).charged()).as("given back").isZero();

    List<Charge> charges = new ArrayList<>();
    assertThat(quota.take(Cost.ofInput(1), SECOND, charges)).isTrue();
    assertThat(charges).hasSize(1);
  }
}
