package io.penstock.limit;

/**
 * What is missing from a token bucket that members share. It grows by what a member's number grew,
 * by a report or a grant, and shrinks by what it shrank, and with time, down to nothing:
 *
 * <p>missing = max(0, max(unspent, missing − rate × elapsed) + Σ (reported − counted)) + granted
 *
 * <p>summed over the cells that are not forgotten; unspent is what all may still spend of it. It
 * may be more than the bucket holds: then its level is below 0.
 */
final class SharedBucket {
  private long missing;

  /** Of the next token, in millionths of a token ÷ seconds of the rate. */
  private long part;

  private long filledAt;

  long missing() {
    return missing;
  }

  /** Takes, or gives back when negative; {@link #settle} follows. */
  void take(long amount) {
    missing += amount;
  }

  void settle() {
    missing = Math.max(0, missing);
  }

  /**
   * Fills it for the time that passed, but not for what was taken from it and is still to be spent:
   * that leaves it when it is. Every product is below 2^53: when too much time passed for that, the
   * rest of it is lost.
   */
  void fill(Partition rate, long unspent, long now) {
    if (now <= filledAt) {
      return;
    }
    long elapsed = now - filledAt;
    filledAt = now;
    long whole = rate.seconds() * 1_000_000;
    part = Math.min(part, whole - 1);
    long most = ((1L << 53) - 1 - part) / rate.releases();
    long more = Math.min(elapsed, most) * rate.releases() + part;
    boolean full = missing <= rate.capacity() && elapsed >= rate.fillMicros();
    if (full || more / whole >= missing) {
      missing = 0;
      part = 0;
    } else {
      missing -= more / whole;
      part = more % whole;
    }
    if (missing < unspent) {
      missing = unspent;
      part = 0;
    }
  }
}
