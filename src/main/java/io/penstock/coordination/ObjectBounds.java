package io.penstock.coordination;

/**
 * Bounds on waiting clients, objects, their memory and held permits.
 *
 * @param waiters most clients that wait at all objects together, 0 or more
 * @param objects most objects of all kinds together, 1 or more
 * @param bytes most bytes of all objects together, 1 or more; see {@link ObjectFootprint}
 * @param share the part of waiters, objects and bytes that one tenant may have, above 0 and at most
 *     1; a tenant may always have one of each
 * @param holds most held permits of all semaphores together, 1 or more
 * @param idleNanos the time after which an unused object is forgotten, if nothing is lost by that
 */
public record ObjectBounds(
    long waiters, long objects, long bytes, double share, long holds, long idleNanos) {
  /** The default bounds. */
  public static final ObjectBounds DEFAULT =
      new ObjectBounds(10_000, 100_000, 64L << 20, 0.25, 1_000_000, 3_600_000_000_000L);

  public ObjectBounds {
    if (waiters < 0 || objects < 1 || bytes < 1 || holds < 1 || idleNanos < 1) {
      throw new IllegalArgumentException(
          "bounds are %d, %d, %d, %d, %d, expected 0, 1, 1, 1, 1 or more"
              .formatted(waiters, objects, bytes, holds, idleNanos));
    }
    if (!(share > 0 && share <= 1)) {
      throw new IllegalArgumentException("share is " + share + ", expected above 0 and up to 1");
    }
  }

  /** Returns the most waiting clients of one tenant. */
  public long ownWaiters() {
    return own(waiters);
  }

  /** Returns the most objects of one tenant. */
  public long ownObjects() {
    return own(objects);
  }

  /** Returns the most bytes of the objects of one tenant. */
  public long ownBytes() {
    return own(bytes);
  }

  private long own(long most) {
    return Math.min(most, Math.max(1, (long) (most * share)));
  }
}
