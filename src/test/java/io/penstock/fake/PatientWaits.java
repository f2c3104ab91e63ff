package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.time.Ticker;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/**
 * Waits for signals in tests. Their bound only detects hangs, so it is far above the time that even
 * a busy machine needs.
 */
public final class PatientWaits {
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Duration INTERVAL = Duration.ofMillis(20);

  private PatientWaits() {}

  /** Returns a wait of at most a minute, which looks every 20 ms from now on. */
  public static ConditionFactory await() {
    return configured(Awaitility.await());
  }

  /** Returns such a wait with a name for its failure message. */
  public static ConditionFactory await(String alias) {
    return configured(Awaitility.await(alias));
  }

  private static ConditionFactory configured(ConditionFactory wait) {
    return wait.pollDelay(Duration.ZERO).pollInterval(INTERVAL).atMost(LONGEST);
  }

  /**
   * Polls a condition every tenth of a second; fails unless it becomes true within the promised
   * time, not counting time for which the machine did not run this JVM. Returns the seconds that it
   * took.
   */
  public static double within(Duration promised, Callable<Boolean> so) {
    return within(promised, Duration.ofMillis(100), so);
  }

  /** Does the same with another polling interval. */
  public static double within(Duration promised, Duration interval, Callable<Boolean> so) {
    Ticker ticker = Ticker.system();
    try (MachineStalls stalls = new MachineStalls()) {
      await().pollInterval(interval).until(so);
      long took = ticker.nanos();
      assertThat(took - stalls.totalNanos())
          .as("nanoseconds that it took, of %,d with all stalls of the machine", took)
          .isLessThanOrEqualTo(promised.toNanos());
      return took / 1e9;
    }
  }
}
