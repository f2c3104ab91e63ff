package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.ChargeRule;
import io.penstock.cost.Cost;
import io.penstock.cost.LimitMeasure;
import io.penstock.cost.TokenUsage;
import io.penstock.limit.Limit;
import io.penstock.limit.LimitSpec;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChargeRefundTest {
  private static final long SECOND = 1_000_000_000L;

  private final Limit limit =
      new Limit(new LimitSpec.TrailingWindow(1_000, 60 * SECOND, 0, 1_000), 0);
  private final Quota quota =
      new Quota("test", ChargeRule.TOTAL, List.of(new MeteredLimit(LimitMeasure.TOKENS, limit)));

  private Charge take(Cost cost, long now) {
    List<Charge> charges = new ArrayList<>();
    assertThat(quota.take(cost, now, charges)).isTrue();
    return charges.getFirst();
  }

  @Test
  void outputCountedTooHighOverTwoCells_settledByUsage_leavesWhatOthersPutIntoTheLast() {
    Charge counted = take(new Cost(0, 300, 300), 0);
    counted.produce(200, 1 * SECOND);
    take(Cost.ofInput(100), 2 * SECOND);
    counted.produce(250, 2 * SECOND);

    counted.settle(new TokenUsage(0, 0, 100), 100, 2 * SECOND + 1);

    // 100 of the other request and 200 of the first cell stay; only the 50 of its own last cell
    // were returned.
    assertThat(limit.balance(2 * SECOND + 1).charged()).isEqualTo(300);
  }
}
