package io.penstock.endpoint;

/** Runs the steps of one endpoint. Safe from any thread. */
public interface Driver {
  /** Runs {@code step} soon, not on the thread that asks. */
  void execute(Runnable step);

  /**
   * Runs {@code step} at an instant, and forgets the one asked for before; {@link
   * io.penstock.time.Ticker#NEVER} only forgets.
   */
  void at(long instantNanos, Runnable step);

  /** Makes the driver of an endpoint. */
  @FunctionalInterface
  interface Source {
    /** Returns the driver of one more endpoint with that algorithm. */
    Driver driver(Algorithm algorithm);
  }
}
