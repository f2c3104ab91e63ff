package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SliceDemandTest {
  private final AtomicInteger dry = new AtomicInteger();
  private final AtomicInteger woken = new AtomicInteger();
  private final SliceDemand sliceDemand = new SliceDemand(dry::incrementAndGet);

  @Test
  void lacking_leastIsKnownAndDryIsToldOnce() {
    assertThat(sliceDemand.least()).isZero();
    sliceDemand.lacks(5, false, false);
    sliceDemand.lacks(3, false, false);
    sliceDemand.lacks(9, false, false);
    assertThat(sliceDemand.least()).isEqualTo(3);
    assertThat(dry).hasValue(1);
    assertThat(sliceDemand.hasLater()).isFalse();
  }

  @Test
  void lackingWhatNobodyHas_hurriesNobody() {
    sliceDemand.lacks(5, false, true);
    assertThat(sliceDemand.least()).isEqualTo(5);
    assertThat(dry).hasValue(0);
  }

  @Test
  void slicesThatBeginLaterSuffice_nothingIsLackingNow() {
    sliceDemand.lacks(5, true, false);
    assertThat(sliceDemand.hasLater()).isTrue();
    assertThat(sliceDemand.least()).isZero();
    assertThat(dry).hasValue(0);
  }

  @Test
  void woken_nothingIsLackingUntilSomebodySaysSoAgain() {
    SliceDemand.Waiter waiter = woken::incrementAndGet;
    sliceDemand.join(waiter);
    sliceDemand.lacks(5, false, false);
    sliceDemand.lacks(5, true, false);
    sliceDemand.wake();
    assertThat(woken).hasValue(1);
    assertThat(sliceDemand.least()).isZero();
    assertThat(sliceDemand.hasLater()).isFalse();
    sliceDemand.leave(waiter);
    sliceDemand.wake();
    assertThat(woken).hasValue(1);
    sliceDemand.lacks(7, false, false);
    assertThat(sliceDemand.least()).isEqualTo(7);
    assertThat(dry).hasValue(2);
  }

  @Test
  void denied_whoStillLooksIsAskedForAndWhoGaveUpIsForgotten() {
    sliceDemand.join(
        () -> {
          if (woken.incrementAndGet() < 3) {
            sliceDemand.lacks(4, false, true);
          }
        });
    sliceDemand.lacks(4, false, false);
    for (int denied = 1; denied <= 3; denied++) {
      sliceDemand.denied();
      assertThat(woken).hasValue(denied);
      assertThat(sliceDemand.least()).isEqualTo(4);
    }
    sliceDemand.denied();
    assertThat(sliceDemand.least()).isZero();
  }
}
