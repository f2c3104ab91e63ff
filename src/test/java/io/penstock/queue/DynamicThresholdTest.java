package io.penstock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DynamicThresholdTest {
  @Test
  void threeTimesWhatIsFree_isTheMost() {
    for (long free = -2; free <= 20; free++) {
      for (long own = 0; own <= 80; own++) {
        assertThat(DynamicThreshold.isExceeded(own, free))
            .as("%d beside %d", own, free)
            .isEqualTo(own > 3 * free || free < 0);
      }
    }
  }

  @Test
  void oneAlone_mayHaveThreeQuarters() {
    for (long room = 0; room <= 100; room++) {
      long alone = DynamicThreshold.ofOneAlone(room);
      assertThat(DynamicThreshold.isExceeded(alone, room - alone)).as("%d", room).isFalse();
      assertThat(DynamicThreshold.isExceeded(alone + 1, room - alone - 1)).isTrue();
    }
    assertThat(DynamicThreshold.ofOneAlone(1_000)).isEqualTo(750);
  }

  @Test
  void roomWithoutBound_isNeverExceeded() {
    assertThat(DynamicThreshold.isExceeded(Long.MAX_VALUE / 2, Long.MAX_VALUE / 2)).isFalse();
    assertThat(DynamicThreshold.isExceeded(1, QueueBounds.UNLIMITED)).isFalse();
  }
}
