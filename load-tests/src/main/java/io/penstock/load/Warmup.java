package io.penstock.load;

import java.io.IOException;
import java.time.Duration;

/**
 * Load before anything is measured, until more of it makes nobody faster: how long compilers take
 * on a machine that the load shares is not the same for a large program as for a small one.
 */
final class Warmup {
  /** How long one is sent load at most. */
  static final int MOST_SECONDS = 180;

  private static final Duration STRETCH = Duration.ofSeconds(10);

  /** So many stretches in a row that brought nothing are the end. */
  private static final int NONE_BETTER = 3;

  /** What is better by less than this is noise. */
  private static final double BETTER = 1.03;

  /** Loads somebody for so long, and returns how much was done in it, the more the better. */
  interface Stretch {
    double of(Duration length) throws IOException, InterruptedException;
  }

  private Warmup() {}

  /**
   * Loads somebody until three stretches of ten seconds in a row have brought no more than 3 % over
   * what the last one that did came to, or for {@code most}.
   *
   * @return how long it took
   */
  static Duration until(Duration most, Stretch load) throws IOException, InterruptedException {
    Duration taken = Duration.ZERO;
    double best = 0;
    int same = 0;
    while (same < NONE_BETTER && taken.compareTo(most) < 0) {
      Duration left = most.minus(taken);
      Duration length = left.compareTo(STRETCH) < 0 ? left : STRETCH;
      double came = load.of(length);
      boolean better = came > best * BETTER;
      same = better ? 0 : same + 1;
      best = better ? came : best;
      taken = taken.plus(length);
    }
    return taken;
  }
}
