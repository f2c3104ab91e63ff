package io.penstock.time;

/** Runs the steps of one state machine, one at a time. Safe from any thread. */
public interface StepAlarm extends AutoCloseable {
  /** Runs {@code step} soon, but not on the calling thread. */
  void soon(Runnable step);

  /**
   * Runs {@code step} once at an instant instead of the step that was to run before; {@link
   * Ticker#NEVER} only cancels that one.
   */
  void at(long instantNanos, Runnable step);

  /** Cancels the step that was to run at an instant, and ends what only this alarm uses. */
  @Override
  default void close() {
    at(Ticker.NEVER, () -> {});
  }
}
