package io.penstock.load;

import java.io.IOException;

/**
 * The highest steady rate that is answered as fast as it is sent. The most of a closed loop says
 * too much: sending at a steady rate, on as many connections as that takes, is more work for the
 * load itself, on the cores that it shares with what it measures.
 */
final class Sustained {
  /**
   * A queue that grows by 1 % of the rate makes half of what is due in five seconds wait longer; a
   * hiccup does not.
   */
  static final double MEDIAN_MICROS = 25_000;

  private static final double STEP = 0.95;

  /** Sends so many requests a second for five seconds. */
  interface Rate {
    Latencies of(int perSecond) throws IOException, InterruptedException;
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
      Latencies came = rate.of(perSecond);
      if (came.answers() > 0 && came.failures() == 0 && came.whole(50) <= MEDIAN_MICROS) {
        return perSecond;
      }
    }
    throw new IOException("no rate up to " + from + " requests/s is answered as fast as sent");
  }
}
