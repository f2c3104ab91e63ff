package io.penstock.load;

import java.util.Arrays;
import java.util.List;

/** Windows that follow each other, and the tokens that were taken in each. */
final class Grid {
  private static final int STEP_MILLIS = 20;

  private final long[] windows;

  private Grid(long[] windows) {
    this.windows = windows;
  }

  long[] windows() {
    return windows.clone();
  }

  /** Lays as many windows from a moment before the first take on. */
  static Grid from(long leadMillis, List<long[]> taken, long windowMillis, int many) {
    long[] windows = new long[many];
    for (long[] each : taken) {
      long at = (each[0] + leadMillis) / windowMillis;
      if (at < many) {
        windows[(int) at] += each[1];
      }
    }
    return new Grid(windows);
  }

  /**
   * Lays windows that began somewhere within one before the first take, which only the gateway
   * knows: of all places, where the fullest is least full. Where more than its budget was let go in
   * a window, the fullest is over it in every place.
   */
  static Grid bestOf(List<long[]> taken, long windowMillis, int many) {
    Grid best = from(0, taken, windowMillis, many);
    for (long lead = STEP_MILLIS; lead < windowMillis; lead += STEP_MILLIS) {
      Grid other = from(lead, taken, windowMillis, many);
      best = other.most() < best.most() ? other : best;
    }
    return best;
  }

  long most() {
    return Arrays.stream(windows).max().orElse(0);
  }

  long least() {
    return Arrays.stream(windows).min().orElse(0);
  }

  long sum() {
    return Arrays.stream(windows).sum();
  }
}
