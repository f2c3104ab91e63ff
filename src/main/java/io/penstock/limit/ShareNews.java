package io.penstock.limit;

import org.jspecify.annotations.Nullable;

/**
 * Last words of the store about a limit that instances share.
 *
 * @param free what no instance has, ≥ 0
 * @param denied the least amount that could not be had several times in a row; {@link
 *     Long#MAX_VALUE} for none
 * @param heardNanos when the store said so
 * @param contact with the store
 * @param others what other instances told of their use; null when nothing is known of it
 */
public record ShareNews(
    long free, long denied, long heardNanos, Contact contact, @Nullable PeerCounts others) {
  /** Contact of an instance with the store of shares. */
  public enum Contact {
    /** Not all instances know this one yet: it is given no shares. */
    LISTING,
    /** The store may have lost something: it raises no share until all have stated theirs. */
    SETTLING,
    /** Shares are given. */
    READY,
    /** The store has not answered for longer than a lease. */
    AWAY
  }

  /** Nothing was heard. */
  public static final ShareNews NOTHING =
      new ShareNews(0, Long.MAX_VALUE, Long.MIN_VALUE / 2, Contact.LISTING, null);

  /** For how long it is taken to be still true. */
  private static final long VALID_NANOS = 2_000_000_000;

  private boolean isValid(long now) {
    return contact != Contact.AWAY && now - heardNanos <= VALID_NANOS;
  }

  /** Returns what no instance has; 0 if that was heard too long ago. */
  long free(long now) {
    return isValid(now) ? free : 0;
  }

  /** Returns the least amount that is known to be unavailable now; the largest number for none. */
  long denied(long now) {
    return isValid(now) ? denied : Long.MAX_VALUE;
  }

  /** Returns whether an amount is known to be unavailable now. */
  boolean denies(long amount, long now) {
    return amount >= denied(now);
  }

  /** Returns this news with another contact. */
  public ShareNews in(Contact next) {
    return new ShareNews(free, denied, heardNanos, next, others);
  }

  /** Returns this news with what other instances told. */
  public ShareNews with(PeerCounts told) {
    return new ShareNews(free, denied, heardNanos, contact, told);
  }

  /** Returns what other instances told of their use; null while the store is not heard. */
  @Nullable PeerCounts told() {
    return contact == Contact.AWAY || contact == Contact.LISTING ? null : others;
  }
}
