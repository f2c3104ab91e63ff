package io.penstock.coordination;

/** Timer that runs one step at an instant. */
public interface Alarm extends AutoCloseable {
  /**
   * Sets the step to run once at an instant, on another thread; it replaces the step set before.
   *
   * @param instantNanos the instant; {@link io.penstock.time.Ticker#NEVER} to run nothing
   */
  void at(long instantNanos, Runnable step);

  @Override
  void close();
}
