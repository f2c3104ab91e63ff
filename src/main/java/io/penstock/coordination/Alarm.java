package io.penstock.coordination;

/** Runs something later. */
public interface Alarm extends AutoCloseable {
  /**
   * Has {@code step} run once at an instant, by another thread, instead of what was to run before.
   *
   * @param instantNanos {@link io.penstock.time.Ticker#NEVER} for nothing
   */
  void at(long instantNanos, Runnable step);

  @Override
  void close();
}
