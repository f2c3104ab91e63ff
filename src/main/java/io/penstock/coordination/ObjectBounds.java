package io.penstock.coordination;

/**
 * Bounds on waiting clients, objects and held permits.
 *
 * @param waiters most clients that wait at all objects together, 0 or more
 * @param objects most objects of all kinds together, 1 or more
 * @param holds most held permits of all semaphores together, 1 or more
 * @param idleNanos the time after which an unused bucket, semaphore or counter is forgotten
 */
public record ObjectBounds(long waiters, long objects, long holds, long idleNanos) {
  /** The default bounds. */
  public static final ObjectBounds DEFAULT =
      new ObjectBounds(10_000, 100_000, 1_000_000, 3_600_000_000_000L);

  public ObjectBounds {
    if (waiters < 0 || objects < 1 || holds < 1 || idleNanos < 1) {
      throw new IllegalArgumentException(
          "bounds are %d, %d, %d, %d, expected 0, 1, 1, 1 or more"
              .formatted(waiters, objects, holds, idleNanos));
    }
  }
}
