package io.penstock.limit.slice;

import io.penstock.limit.CellPartition;

/**
 * The spent tokens of a bucket that members share, as far as they are not filled in again. The
 * number grows when a member reports more spent than before, and shrinks when it reports less, and
 * with time, down to zero:
 *
 * <p>missing = max(0, max(0, missing − rate × elapsed) + Σ (reported − counted))
 *
 * <p>summed over the cells that are not forgotten. It may be more than the bucket's capacity: then
 * the level of the bucket is below 0. Tokens that members have out and may still spend are missing
 * in addition, and are not filled in as long as they are out: whenever they are spent, no more
 * passes than if they had been taken then.
 */
final class SharedBucket {
  private long missing;

  /** Filled part of the next token, in millionths of a token ÷ seconds of the rate. */
  private long part;

  private long filledAt;

  long missing() {
    return missing;
  }

  /** Takes tokens, or gives back a negative amount; {@link #settle} must follow. */
  void take(long amount) {
    missing += amount;
  }

  void settle() {
    missing = Math.max(0, missing);
  }

  /**
   * Fills in tokens for the time that passed. Every product is below 2^53: the rest of a longer
   * time is lost.
   */
  void fill(CellPartition rate, long now) {
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
