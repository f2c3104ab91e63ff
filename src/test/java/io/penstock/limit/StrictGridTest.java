package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Weight;
import org.junit.jupiter.api.Test;

class StrictGridTest {
  private static final long SECOND = 1_000_000_000L;

  private static LimitSpec.Strict every(long seconds) {
    return new LimitSpec.Strict(new ExactRate(1, seconds), 0);
  }

  @Test
  void firstReleaseSoonAfterTheStart_startsTheGridItself() {
    Limit limit = new Limit(every(10), 0);
    limit.take(Weight.exactly(1), 9 * SECOND);
    assertThat(limit.admittedAt(1, 9 * SECOND)).isEqualTo(19 * SECOND);
  }

  @Test
  void slowedDownBeforeTheFirstRelease_firstStillGoesAtOnce() {
    Limit limit = new Limit(every(1), 0);
    limit.resize(every(10), 1);
    assertThat(limit.take(Weight.exactly(1), 1)).isInstanceOf(LimitAnswer.Receipt.class);
    assertThat(limit.admittedAt(1, 1)).isEqualTo(10 * SECOND + 1);
  }
}
