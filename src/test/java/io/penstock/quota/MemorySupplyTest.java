package io.penstock.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.fake.FakeTicker;
import io.penstock.limit.LimitSpec;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemorySupplyTest extends SupplyContract {
  private final FakeTicker ticker = new FakeTicker();

  @Override
  Supply supply() {
    ticker.set(START);
    return new MemorySupply(ticker, TTL, 7);
  }

  @Override
  void clock(long nanos) {
    ticker.set(nanos);
  }

  @Test
  void slices_carryTheEpoch() {
    assertThat(only(round(supply(), "a", fixed(1))).epoch()).isEqualTo(7);
  }

  @Test
  void sameLimitWithAnotherWindow_failsAndChangesNothing() {
    Supply supply = supply();
    round(supply, "a", fixed(60));
    Supply.Ask other =
        new Supply.Ask(FIXED_ID, new LimitSpec.FixedWindow(100, 5 * SECOND), List.of(), 100);
    assertThatThrownBy(() -> round(supply, "b", trailing(100), other))
        .hasRootCauseInstanceOf(IllegalArgumentException.class);
    assertThat(sum(round(supply, "b", fixed(100), trailing(100)))).isEqualTo(140);
  }
}
