package io.penstock.load;

import java.io.IOException;
import java.time.Duration;

/**
 * The highest steady rate that is answered as fast as it is sent. The most of a closed loop says
 * too much: sending at a steady rate, on as many connections as that takes, is more work for the
 * load itself, on the cores that it shares with what it measures.
 */
final class Sustained {
  /** How long each rate is tried. */
  private static final Duration TRY = Duration.ofSeconds(5);

  /** What a queue that grows by 1 % of the rate makes half of a try wait; a hiccup does not. */
  private static final double MEDIAN_MICROS = 25_000;

  private static final double STEP = 0.95;

  /** Sends so many requests a second for so long. */
  interface Rate {
    Latencies of(int perSecond, Duration length) throws IOException, InterruptedException;
  }

  private Sustained() {}

  /**
   * Tries rates, each 5 % below the one before.
   *
   * @param from the first, per second
   * @return the first that was answered, all of it, without a queue that grew
   * @throws IOException if none was
   */
  static int most(int from, Rate rate) throws IOException, InterruptedException {
    for (int perSecond = from; perSecond > 0; perSecond = (int) (perSecond * STEP)) {
      Latencies came = rate.of(perSecond, TRY);
      if (came.answers() > 0 && came.failures() == 0 && came.whole(50) <= MEDIAN_MICROS) {
        return perSecond;
      }
    }
    throw new IOException("no rate up to " + from + " requests/s is answered as fast as sent");
  }
}
