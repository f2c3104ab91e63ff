package io.penstock.limit;

/**
 * What was spent of a token bucket that members share and is not filled in again. It grows by what
 * a member says more to have spent than it said before, and shrinks by what it says less, and with
 * time, down to nothing:
 *
 * <p>missing = max(0, max(0, missing − rate × elapsed) + Σ (reported − counted))
 *
 * <p>summed over the cells that are not forgotten. It may be more than the bucket holds: then its
 * level is below 0. What members have out and may still spend is missing besides, and is not filled
 * in as long as they have it: whenever it is spent, no more passes than if it had been taken then.
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

  /** Every product is below 2^53: when too much time passed for that, the rest of it is lost. */
  void fill(Partition rate, long now) {
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
  }
}
