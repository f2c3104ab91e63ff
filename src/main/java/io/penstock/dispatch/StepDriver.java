package io.penstock.dispatch;

/** Runs the steps of one endpoint, at once or at an instant. Safe from any thread. */
public interface StepDriver {
  /** Runs {@code step} soon, on another thread than the caller's. */
  void execute(Runnable step);

  /**
   * Runs {@code step} at an instant, which replaces the instant set before; {@link
   * io.penstock.time.Ticker#NEVER} only cancels it.
   */
  void at(long instantNanos, Runnable step);

  /** Creates the drivers of endpoints. */
  @FunctionalInterface
  interface Source {
    /** Returns the driver for one more endpoint with that algorithm. */
    StepDriver driver(LimitAlgorithm limitAlgorithm);
  }
}
