package io.penstock.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ShareDemandTest {
  private final AtomicInteger shortages = new AtomicInteger();
  private final AtomicInteger woken = new AtomicInteger();
  private final ShareDemand demand = new ShareDemand(shortages::incrementAndGet);

  @Test
  void lacking_mostIsKnownAndTheShortageIsToldOnce() {
    assertThat(demand.most()).isZero();
    demand.recordLack(5);
    demand.recordLack(3);
    demand.recordLack(9);
    assertThat(demand.most()).isEqualTo(9);
    assertThat(shortages).hasValue(1);
  }

  @Test
  void woken_nothingIsLackingUntilSomebodySaysSoAgain() {
    ShareDemand.Waiter waiter = woken::incrementAndGet;
    demand.join(waiter);
    demand.recordLack(5);
    demand.wake();
    assertThat(woken).hasValue(1);
    assertThat(demand.most()).isZero();
    demand.leave(waiter);
    demand.wake();
    assertThat(woken).hasValue(1);
    demand.recordLack(7);
    assertThat(demand.most()).isEqualTo(7);
    assertThat(shortages).hasValue(2);
  }

  @Test
  void denied_whoStillLooksIsAskedForAndWhoGaveUpIsForgotten() {
    demand.join(
        () -> {
          if (woken.incrementAndGet() < 3) {
            demand.recordLack(4);
          }
        });
    demand.recordLack(4);
    for (int denied = 1; denied <= 4; denied++) {
      demand.wakeAfterDenial();
      assertThat(woken).hasValue(denied);
      assertThat(demand.most()).isEqualTo(4);
    }
    demand.wakeAfterDenial();
    assertThat(demand.most()).isZero();
  }

  @Test
  void denied_ofAWaiterThatGaveUpOnlyTheRestIsAskedFor() {
    demand.join(() -> demand.recordLack(4));
    demand.recordLack(4);
    demand.recordLack(9_000);
    demand.wakeAfterDenial();
    demand.wakeAfterDenial();
    assertThat(demand.most()).isEqualTo(9_000);
    demand.wakeAfterDenial();
    assertThat(demand.most()).isEqualTo(4);
  }
}
