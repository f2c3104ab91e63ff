package io.penstock.fake;

import io.penstock.time.Ticker;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for the effects of another process. */
public final class Until {
  private static final long MOST_NANOS = 60_000_000_000L;

  private Until() {}

  /** Checks the condition every 20 ms until it holds. */
  public static void holds(String what, BooleanSupplier condition) {
    Ticker ticker = Ticker.system();
    while (!condition.getAsBoolean()) {
      if (ticker.nanos() > MOST_NANOS) {
        throw new AssertionError("never came: " + what);
      }
      LockSupport.parkNanos(20_000_000);
    }
  }
}
