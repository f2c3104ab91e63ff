package io.penstock.coordination;

/**
 * How much there may be.
 *
 * @param waiters who wait at all objects together, 0 or more
 * @param objects of all kinds together, 1 or more
 * @param holds places of all semaphores together that are held, 1 or more
 * @param idleNanos after which a bucket, semaphore or counter is forgotten that nobody uses
 */
public record Bounds(long waiters, long objects, long holds, long idleNanos) {
  /** What holds unless somebody says otherwise. */
  public static final Bounds DEFAULT = new Bounds(10_000, 100_000, 1_000_000, 3_600_000_000_000L);

  public Bounds {
    if (waiters < 0 || objects < 1 || holds < 1 || idleNanos < 1) {
      throw new IllegalArgumentException(
          "bounds are %d, %d, %d, %d, expected 0, 1, 1, 1 or more"
              .formatted(waiters, objects, holds, idleNanos));
    }
  }
}
