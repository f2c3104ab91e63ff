package io.penstock.gateway.body;

/**
 * Tells whether a client sends its body fast enough. Only time counts in which the gateway reads.
 * Belongs to the event loop of its connection.
 */
final class BodyPace {
  /**
   * How fast a client has to be.
   *
   * @param windowNanos for so long at a time it may send too little
   * @param bytesPerSecond what it has to send on average over each such time; at least one byte
   * @param deadlineNanos for how long it may send all in all
   */
  record Terms(long windowNanos, long bytesPerSecond, long deadlineNanos) {
    /** Returns the least that has to come in a window. */
    long leastBytes() {
      return Math.max(1, (long) Math.ceil(bytesPerSecond * (windowNanos / 1e9)));
    }
  }

  private final Terms terms;
  private long sentNanos;
  private long windowNanos;
  private long windowBytes;
  private long sinceNanos;
  private boolean reading;

  BodyPace(Terms terms) {
    this.terms = terms;
  }

  /** From now on the client may send; no effect while it may. */
  void resume(long now) {
    if (!reading) {
      reading = true;
      sinceNanos = now;
    }
  }

  /** From now on the gateway does not read. */
  void pause(long now) {
    settle(now);
    reading = false;
  }

  /** Takes note of bytes that came. */
  void came(long bytes) {
    windowBytes += bytes;
  }

  /**
   * Returns after how many nanoseconds of reading to look again, or 0 when the client is too slow.
   */
  long look(long now) {
    settle(now);
    if (windowNanos >= terms.windowNanos()) {
      if (windowBytes < terms.leastBytes()) {
        return 0;
      }
      windowNanos = 0;
      windowBytes = 0;
    }
    return Math.max(
        0, Math.min(terms.windowNanos() - windowNanos, terms.deadlineNanos() - sentNanos));
  }

  private void settle(long now) {
    if (reading) {
      long passed = Math.max(0, now - sinceNanos);
      sentNanos += passed;
      windowNanos += passed;
      sinceNanos = now;
    }
  }
}
