package io.penstock.sync;

import io.penstock.time.CellClock;

/** The clock of Redis, as far as this instance can know it. One thread at a time. */
interface StoreClock {
  /** Takes in an answer that was asked for and heard at instants of the own clock. */
  void heard(long askedNanos, long heardNanos, long storeMicros);

  /** Returns the instant of the own clock at which the clock of Redis surely says that. */
  long localNanos(long storeMicros, long nowNanos);

  /** Returns until when, by the clock of Redis, what is sent now may be done; empty for ever. */
  String fence(long nowNanos);

  /** Returns what a script is to take for the time, or empty for its own. */
  String now();

  /** The real one. */
  final class Heard implements StoreClock {
    private static final long NANOS_PER_MICRO = 1_000;
    private static final long MICRO = 1_000;

    private final CellClock clock = new CellClock();
    private final long patienceMicros;

    /** Has heard nothing yet; what is asked is waited for that long. */
    Heard(long patienceMicros) {
      this.patienceMicros = patienceMicros;
    }

    @Override
    public void heard(long askedNanos, long heardNanos, long storeMicros) {
      var _ = clock.heard(askedNanos, heardNanos, storeMicros * NANOS_PER_MICRO, MICRO);
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
