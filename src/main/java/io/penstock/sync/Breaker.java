package io.penstock.sync;

import io.penstock.time.Ticker;
import java.util.function.IntSupplier;

/**
 * Stops asking Redis when a round fails and at least half of the last {@link #ROUNDS} did; lets one
 * try after {@link #PAUSE_NANOS}, or as soon as there is a new connection, and all once it went
 * well. Safe from any thread.
 */
final class Breaker {
  static final int ROUNDS = 20;
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
   * Knows of no round yet.
   *
   * @param connections how many connections there ever were
   */
  Breaker(Ticker ticker, IntSupplier connections) {
    this.ticker = ticker;
    this.connections = connections;
  }

  /** Returns whether Redis may be asked now; when it was open, that is a try, and the only one. */
  synchronized boolean lets() {
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

  /** Takes note of how a round went that was let. */
  synchronized void told(boolean well) {
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

  /** Returns whether Redis is not asked, or only tried. */
  synchronized boolean isOpen() {
    return open;
  }
}
