package io.penstock.limit;

/**
 * The most that may be taken as a provider sees it: what it stated as left when a request was
 * released, less what was taken after that request, growing linearly to the whole limit at the
 * reset. From then on it is no bound.
 *
 * @param mark the running total of all that was taken up to and including the request
 * @param since the instant the request was released
 * @param left what was left then, 0 to {@code limit}
 * @param limit what is left at the reset
 * @param reset the instant from which this is no bound, ≥ {@code since}
 * @param returned the part of the takes after the mark that was given back since, ≥ 0
 * @param drift as in {@link LearnedLimit#drift}
 */
record ProviderCeiling(
    long mark, long since, long left, long limit, long reset, long returned, double drift) {
  /** The provider has stated nothing: no bound. */
  static final ProviderCeiling NONE = new ProviderCeiling(0, 0, 0, 0, Long.MIN_VALUE, 0, 0);

  /**
   * Returns the ceiling from a provider's statement.
   *
   * @param capacity the limit where the notice states none
   * @param believed the amount thought to be left at {@code now}
   * @param reserved the running total of all that was ever taken
   */
  static ProviderCeiling of(
      ProviderNotice providerNotice, long capacity, long believed, long reserved, long now) {
    long limit = providerNotice.statesLimit() ? providerNotice.limit() : capacity;
    long left = Math.min(providerNotice.remaining(), limit);
    long reset =
        Math.max(providerNotice.atNanos(), AmountBound.sum(now, providerNotice.resetNanos()));
    double drift = (double) (believed - (left - (reserved - providerNotice.totalTaken()))) / limit;
    return new ProviderCeiling(
        providerNotice.totalTaken(), providerNotice.atNanos(), left, limit, reset, 0, drift);
  }

  boolean none() {
    return reset == Long.MIN_VALUE;
  }

  /** Returns this ceiling after {@code amount} of the take with that mark was given back. */
  ProviderCeiling afterGiveBack(long markTaken, long amount) {
    return none() || markTaken <= mark || amount == 0
        ? this
        : new ProviderCeiling(
            mark, since, left, limit, reset, AmountBound.sum(returned, amount), drift);
  }

  private long takenSince(long reserved) {
    return Math.max(0, reserved - mark - returned);
  }

  /**
   * Returns what may be taken at {@code now}; below zero when more was taken since than there was.
   */
  long room(long reserved, long now) {
    if (now >= reset) {
      return Long.MAX_VALUE;
    }
    // A double is exact to 10⁻⁴ of one here, and never falls as time passes.
    double share = (double) Math.max(0, now - since) / (reset - since);
    return left + (long) (share * (limit - left)) - takenSince(reserved);
  }

  /** Returns the instant from which {@code amount} may be taken if nothing else is. */
  long roomFreeAt(long amount, long reserved, long now) {
    if (room(reserved, now) >= amount) {
      return now;
    }
    double lacking = (double) amount + takenSince(reserved) - left;
    if (lacking > limit - left) {
      return reset;
    }
    double nanos = lacking / (limit - left) * (reset - since);
    long instant = Math.clamp(since + (long) nanos, now + 1, reset);
    // The quotient is rounded: find the first instant at which the room is indeed large enough.
    while (room(reserved, instant) < amount) {
      instant++;
    }
    while (instant > now + 1 && room(reserved, instant - 1) >= amount) {
      instant--;
    }
    return instant;
  }

  LearnedLimit learned(long reserved, long now) {
    long remaining = now >= reset ? ProviderNotice.UNSTATED : Math.max(0, room(reserved, now));
    return new LearnedLimit(limit, remaining, reset, drift);
  }
}
