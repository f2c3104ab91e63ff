package io.penstock.redis.coordination;

import io.penstock.time.CellClock;

/** The clock of Redis, as far as this instance can know it. Used by one thread at a time. */
interface StoreClock {
  /** Takes in an answer with the local times of the request and of the answer. */
  void addReading(long askedNanos, long receivedNanos, long storeMicros);

  /** Returns the local time at which the clock of Redis has certainly reached the given time. */
  long localNanos(long storeMicros, long nowNanos);

  /**
   * Returns the time, by the clock of Redis, until which a request sent now may be executed; empty
   * for ever.
   */
  String fence(long nowNanos);

  /** Returns the time that a script must use, or empty for its own. */
  String now();

  /** Clock based on the answers of Redis. */
  final class RedisClock implements StoreClock {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long MICRO = 1_000;

    private final CellClock clock = new CellClock();
    private final long patienceMicros;

    /**
     * Creates a clock without answers; {@code patienceMicros} is how long a request waits for its
     * answer.
     */
    RedisClock(long patienceMicros) {
      this.patienceMicros = patienceMicros;
    }

    @Override
    public void addReading(long askedNanos, long receivedNanos, long storeMicros) {
      var _ = clock.addReading(askedNanos, receivedNanos, storeMicros * NANOS_PER_MICRO, MICRO);
    }

    @Override
    public long localNanos(long storeMicros, long nowNanos) {
      if (!clock.known()) {
        return nowNanos;
      }
      long early = storeMicros * NANOS_PER_MICRO - clock.earliest(nowNanos);
      return nowNanos + Math.max(0, early);
    }

    @Override
    public String fence(long nowNanos) {
      return clock.known()
          ? Long.toString(clock.latest(nowNanos) / NANOS_PER_MICRO + patienceMicros)
          : "";
    }

    @Override
    public String now() {
      return "";
    }
  }
}
