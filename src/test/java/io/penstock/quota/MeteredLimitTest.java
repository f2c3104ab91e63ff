package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.Weight;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import io.penstock.limit.OutageCap;
import io.penstock.limit.ShareDemand;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests the utilization of a limit, here and by all instances. */
class MeteredLimitTest {
  private static final long SECOND = 1_000_000_000L;
  private static final LimitSpec SPEC =
      new LimitSpec.TrailingWindow(100, 60 * SECOND, 0, LimitSpec.TrailingWindow.UNPACED);

  private final AtomicLong elsewhere = new AtomicLong();
  private final Limit limit = new Limit(SPEC, 0);
  private final MeteredLimit metered =
      new MeteredLimit(LimitMeasure.REQUESTS, limit, null, now -> elsewhere.get());

  @Test
  void oneAlone_isAsFullEverywhereAsHere() {
    limit.take(new Weight(15, 10, 0), 0);
    assertThat(metered.utilization(0)).isEqualTo(limit.utilization(0)).isEqualTo(0.25);
    assertThat(new MeteredLimit(LimitMeasure.REQUESTS, limit).utilization(0)).isEqualTo(0.25);
  }

  @Test
  void whatOthersCounted_isAddedUpToTheWhole() {
    limit.take(new Weight(15, 10, 0), 0);
    elsewhere.set(50);
    assertThat(metered.utilization(0)).isEqualTo(0.75);
    elsewhere.set(1_000);
    assertThat(metered.utilization(0)).isEqualTo(1);
  }

  @Test
  void quota_isAsFullAsItsFullestLimitEverywhere() {
    Limit other = new Limit(SPEC, 0);
    other.take(Weight.exactly(40), 0);
    Quota quota =
        new Quota(
            "q", ChargeRule.TOTAL, List.of(metered, new MeteredLimit(LimitMeasure.TOKENS, other)));
    elsewhere.set(50);
    assertThat(quota.utilization(0)).isEqualTo(0.4);
    assertThat(quota.globalUtilization(0)).isEqualTo(0.5);
  }

  @Test
  void owesAndIsCutOff_whatItOwesIsUsedAllTheSame() {
    Limit owing = new Limit(new LimitSpec.FixedWindow(100, 60 * SECOND), 0);
    owing.charge(150, 0, 0);
    owing.sharing().holdShares(at -> true, new ShareDemand(() -> {}), 0);
    owing.sharing().cutOff(new OutageCap.Open(), 0);
    assertThat(owing.utilization(0)).as("all that comes passes").isZero();
    elsewhere.set(10);
    assertThat(
            new MeteredLimit(LimitMeasure.REQUESTS, owing, null, now -> elsewhere.get())
                .utilization(0))
        .isEqualTo(1);
  }
}
