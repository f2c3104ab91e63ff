package io.penstock.redis;

import io.penstock.time.Ticker;
import java.util.function.IntSupplier;

/**
 * Circuit breaker of Redis. It opens when a round fails and at least half of the last {@link
 * #ROUNDS} rounds failed. While open, it lets one attempt pass after {@link #PAUSE_NANOS}, or as
 * soon as there is a new connection; one success closes it. Thread-safe.
 */
public final class RedisBreaker {
  public static final int ROUNDS = 20;
  static final long PAUSE_NANOS = 5_000_000_000L;
  private static final int MOST_FAILURES = ROUNDS / 2;
  private static final int ALL = (1 << ROUNDS) - 1;

  private final Ticker ticker;
  private final IntSupplier connections;
  private int failed;
  private int seen;
  private boolean open;
  private long until;
  private int connected;

  /**
   * Creates a closed breaker.
   *
   * @param connections counts the connections ever made
   */
  public RedisBreaker(Ticker ticker, IntSupplier connections) {
    this.ticker = ticker;
    this.connections = connections;
  }

  /**
   * Returns whether Redis may be asked now. While open, a true answer permits the single attempt of
   * the current pause.
   */
  public synchronized boolean tryAcquire() {
    if (!open) {
      return true;
    }
    long now = ticker.nanos();
    int made = connections.getAsInt();
    if (now < until && made == connected) {
      return false;
    }
    until = now + PAUSE_NANOS;
    connected = made;
    return true;
  }

  /** Records how a permitted round ended. */
  public synchronized void record(boolean well) {
    if (open) {
      if (well) {
        open = false;
        failed = 0;
        seen = 0;
      }
      return;
    }
    failed = (failed << 1 | (well ? 0 : 1)) & ALL;
    seen = Math.min(ROUNDS, seen + 1);
    if (!well && seen == ROUNDS && Integer.bitCount(failed) >= MOST_FAILURES) {
      open = true;
      connected = connections.getAsInt();
      until = ticker.nanos() + PAUSE_NANOS;
    }
  }
}
