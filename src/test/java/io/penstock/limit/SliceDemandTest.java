package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SliceDemandTest {
  private final AtomicInteger dry = new AtomicInteger();
  private final AtomicInteger woken = new AtomicInteger();
  private final SliceDemand demand = new SliceDemand(dry::incrementAndGet);

  @Test
  void lacking_leastIsKnownAndDryIsToldOnce() {
    assertThat(demand.least()).isZero();
    demand.recordLack(5, false, false);
    demand.recordLack(3, false, false);
    demand.recordLack(9, false, false);
    assertThat(demand.least()).isEqualTo(3);
    assertThat(dry).hasValue(1);
    assertThat(demand.hasLater()).isFalse();
  }

  @Test
  void lackingWhatNobodyHas_hurriesNobody() {
    demand.recordLack(5, false, true);
    assertThat(demand.least()).isEqualTo(5);
    assertThat(dry).hasValue(0);
  }

  @Test
  void slicesThatBeginLaterSuffice_nothingIsLackingNow() {
    demand.recordLack(5, true, false);
    assertThat(demand.hasLater()).isTrue();
    assertThat(demand.least()).isZero();
    assertThat(dry).hasValue(0);
  }

  @Test
  void woken_nothingIsLackingUntilSomebodySaysSoAgain() {
    SliceDemand.Waiter waiter = woken::incrementAndGet;
    demand.join(waiter);
    demand.recordLack(5, false, false);
    demand.recordLack(5, true, false);
    demand.wake();
    assertThat(woken).hasValue(1);
    assertThat(demand.least()).isZero();
    assertThat(demand.hasLater()).isFalse();
    demand.leave(waiter);
    demand.wake();
    assertThat(woken).hasValue(1);
    demand.recordLack(7, false, false);
    assertThat(demand.least()).isEqualTo(7);
    assertThat(dry).hasValue(2);
  }

  @Test
  void denied_whoStillLooksIsAskedForAndWhoGaveUpIsForgotten() {
    demand.join(
        () -> {
          if (woken.incrementAndGet() < 3) {
            demand.recordLack(4, false, true);
          }
        });
    demand.recordLack(4, false, false);
    for (int denied = 1; denied <= 3; denied++) {
      demand.wakeAfterDenial();
      assertThat(woken).hasValue(denied);
      assertThat(demand.least()).isEqualTo(4);
    }
    demand.wakeAfterDenial();
    assertThat(demand.least()).isZero();
  }
}
