package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SustainedTest {
  private final List<Integer> asked = new ArrayList<>();

  private static Latencies took(long micros, long failures) {
    Histogram whole = new Histogram(3);
    whole.recordValueWithCount(micros, 60);
    whole.recordValueWithCount(2_000_000, 40);
    return new Latencies(100, failures, 0, new Histogram(3), whole, Map.of());
  }

  /** Somebody who answers 3,600 a second in a millisecond each. */
  private Latencies able(int perSecond, Duration length) {
    asked.add(perSecond);
    return took(perSecond <= 3_600 ? 1_000 : 400_000, 0);
  }

  @Test
  void firstRateWithoutAGrowingQueue_isIt() throws Exception {
    assertThat(Sustained.most(4_000, this::able)).isEqualTo(3_429);
    assertThat(asked).containsExactly(4_000, 3_800, 3_610, 3_429);
  }

  @Test
  void whatIsAnsweredAtOnce_isNotLowered() throws Exception {
    assertThat(Sustained.most(3_000, this::able)).isEqualTo(3_000);
  }

  @Test
  void aRateThatFails_isTooHigh() throws Exception {
    assertThat(Sustained.most(100, (perSecond, length) -> took(1_000, perSecond > 95 ? 1 : 0)))
        .isEqualTo(95);
  }

  @Test
  void whoAnswersNothing_isToldOf() {
    assertThatThrownBy(() -> Sustained.most(10, (perSecond, length) -> Latencies.none()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no rate up to 10");
  }
}
