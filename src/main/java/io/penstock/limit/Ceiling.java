package io.penstock.limit;

/**
 * The most that may be taken as a provider sees it: what it said was left when a request was let
 * go, less what was taken after that request, growing linearly to the whole limit at the reset;
 * from then on it is no bound.
 *
 * @param mark the count of all that was ever taken when the request was
 * @param since the instant the request was let go
 * @param left what was left then, 0 to {@code limit}
 * @param limit what is left at the reset
 * @param reset the instant from which this is no bound, ≥ {@code since}
 * @param returned what of the takes after the mark was given back since, ≥ 0
 * @param drift as {@link Learned#drift} has it
 */
record Ceiling(
    long mark, long since, long left, long limit, long reset, long returned, double drift) {
  /** Nothing was said. */
  static final Ceiling NONE = new Ceiling(0, 0, 0, 0, Long.MIN_VALUE, 0, 0);

  /**
   * What a notice says.
   *
   * @param capacity the limit where the notice states none
   * @param believed what was thought to be left at {@code now}
   * @param reserved the count of all that was ever taken
   */
  static Ceiling of(Notice notice, long capacity, long believed, long reserved, long now) {
    long limit = notice.statesLimit() ? notice.limit() : capacity;
    long left = Math.min(notice.remaining(), limit);
    long reset = Math.max(notice.atNanos(), State.sum(now, notice.resetNanos()));
    double drift = (double) (believed - (left - (reserved - notice.mark()))) / limit;
    return new Ceiling(notice.mark(), notice.atNanos(), left, limit, reset, 0, drift);
  }

  boolean none() {
    return reset == Long.MIN_VALUE;
  }

  /** This one after so much of a take of that mark was given back. */
  Ceiling given(long markTaken, long amount) {
    return none() || markTaken <= mark || amount == 0
        ? this
        : new Ceiling(mark, since, left, limit, reset, State.sum(returned, amount), drift);
  }

  private long takenSince(long reserved) {
    return Math.max(0, reserved - mark - returned);
  }

  /** What may be taken at {@code now}; below zero when more was taken since than there was. */
  long room(long reserved, long now) {
    if (now >= reset) {
      return Long.MAX_VALUE;
    }
    // A double is exact to 10⁻⁴ of one here, and never falls as time passes.
    double share = (double) Math.max(0, now - since) / (reset - since);
    return left + (long) (share * (limit - left)) - takenSince(reserved);
  }

  /** The instant from which {@code amount} may be taken if nothing else is. */
  long opens(long amount, long reserved, long now) {
    if (room(reserved, now) >= amount) {
      return now;
    }
    double lacking = (double) amount + takenSince(reserved) - left;
    if (lacking > limit - left) {
      return reset;
    }
    double nanos = lacking / (limit - left) * (reset - since);
    long instant = Math.clamp(since + (long) nanos, now + 1, reset);
    // The quotient is rounded: the instant is the first at which the room says the same.
    while (room(reserved, instant) < amount) {
      instant++;
    }
    while (instant > now + 1 && room(reserved, instant - 1) >= amount) {
      instant--;
    }
    return instant;
  }

  Learned learned(long reserved, long now) {
    long remaining = now >= reset ? Notice.UNSAID : Math.max(0, room(reserved, now));
    return new Learned(limit, remaining, reset, drift);
  }
}
