package io.penstock.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import org.junit.jupiter.api.Test;

class SpacedEstimatesTest {
  private final SpacedEstimates spacedEstimates = new SpacedEstimates();
  private int asked;

  /** Each ticket waits for 3 ns more than the one before. */
  private long next(long now) {
    return spacedEstimates.next(() -> 100 + 3L * asked++, now);
  }

  @Test
  void asManyAsAreEstimated_andOneMore_continuesAtTheirDistance() {
    for (int each = 0; each < SpacedEstimates.MOST; each++) {
      assertThat(next(0)).isEqualTo(100 + 3L * each);
    }
    assertThat(next(0)).isEqualTo(100 + 3L * SpacedEstimates.MOST);
    assertThat(next(0)).isEqualTo(103 + 3L * SpacedEstimates.MOST);
    assertThat(asked).isEqualTo(SpacedEstimates.MOST);
  }

  @Test
  void spanIsOver_estimatesAnew() {
    for (int each = 0; each <= SpacedEstimates.MOST; each++) {
      next(0);
    }
    next(SpacedEstimates.SPAN_NANOS - 1);
    assertThat(asked).isEqualTo(SpacedEstimates.MOST);
    next(SpacedEstimates.SPAN_NANOS);
    assertThat(asked).isEqualTo(SpacedEstimates.MOST + 1);
  }

  @Test
  void nothingIsKnown_isNotMadeUp() {
    for (int each = 0; each <= SpacedEstimates.MOST; each++) {
      assertThat(spacedEstimates.next(() -> Ticker.NEVER, 0)).isEqualTo(Ticker.NEVER);
    }
  }
}
