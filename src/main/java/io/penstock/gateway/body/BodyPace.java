package io.penstock.gateway.body;

/**
 * Decides whether a client sends its body fast enough. Time in which the gateway does not read is
 * not counted. Belongs to the event loop of its connection.
 */
final class BodyPace {
  /**
   * The pace that a client has to keep.
   *
   * @param windowNanos length of a window; the client may be too slow within a window, but not on
   *     average over one
   * @param bytesPerSecond average that it has to send in each window; at least one byte
   * @param deadlineNanos how long it may send altogether
   */
  record Terms(long windowNanos, long bytesPerSecond, long deadlineNanos) {
    /** Returns the least number of bytes that have to come in a window. */
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

  /** Notes that from now on the client may send; no effect if it already may. */
  void resume(long now) {
    if (!reading) {
      reading = true;
      sinceNanos = now;
    }
  }

  /** Notes that from now on the gateway does not read. */
  void pause(long now) {
    settle(now);
    reading = false;
  }

  /** Counts bytes that came. */
  void came(long bytes) {
    windowBytes += bytes;
  }

  /**
   * Returns after how many nanoseconds of reading to check again, or 0 when the client is too slow.
   */
  long check(long now) {
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
