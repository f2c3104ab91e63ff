package io.penstock.limit;

import java.util.Arrays;

/**
 * The least that was missing from a bucket since each instant. Of what was taken then no more can
 * be given back: had the rest never been taken, the bucket would have been full in between, and
 * what was filled in would have been lost.
 *
 * <p>What was missing is a Lindley process: taking {@code x} less at one instant lowers it by the
 * lesser of {@code x} and the least it was since. What is given back lowers all that was missing
 * since it was taken, which is what the next may be given back of.
 *
 * <p>Kept are the lows of stretches of time, each until now, in rising order. A take begins another
 * stretch when more than a 32nd above the last low is missing, so that hardly any of what is taken
 * in a stretch that goes on cannot come back. The two oldest of too many become one. Either says
 * less than is true, never more. Immutable.
 */
final class Lows {
  private static final int MOST = 64;
  private static final int STEP = 32;

  private final long[] from;
  private final long[] least;

  private Lows(long[] from, long[] least) {
    this.from = from;
    this.least = least;
  }

  /** Makes those of a bucket of which nothing is known before {@code now}. */
  static Lows since(long now, long missing) {
    return new Lows(new long[] {now}, new long[] {missing});
  }

  private long last() {
    return least[least.length - 1];
  }

  /** These when {@code missing} is all that is missing still. */
  Lows filled(long missing) {
    return missing >= last() ? this : with(least.length, 0, missing);
  }

  /** These when {@code missing} is missing after a take at {@code now}. */
  Lows taken(long now, long missing) {
    if (missing - last() <= last() / STEP) {
      return this;
    }
    int size = from.length;
    int merged = size < MOST ? 0 : 1;
    long[] instants = Arrays.copyOfRange(from, merged, size + 1);
    long[] lows = Arrays.copyOfRange(least, merged, size + 1);
    instants[0] = from[0];
    lows[0] = least[0];
    instants[size - merged] = now;
    lows[size - merged] = missing;
    return new Lows(instants, lows);
  }

  /** Returns the most that can be given back of what was taken at {@code instant}, ≥ 0. */
  long of(long instant) {
    int at = indexOf(instant);
    return at < 0 ? 0 : least[at];
  }

  /** The stretch an instant is in, −1 before all of them. */
  private int indexOf(long instant) {
    int at = from.length - 1;
    while (at >= 0 && from[at] > instant) {
      at--;
    }
    return at;
  }

  /** These when so much, at most {@link #of}, was given back of what was taken at an instant. */
  Lows given(long instant, long amount) {
    int at = indexOf(instant);
    return at < 0 || amount == 0 ? this : with(at, amount, Long.MAX_VALUE);
  }

  /** These, less by {@code amount} from one stretch on, and none above {@code most}. */
  private Lows with(int first, long amount, long most) {
    long[] instants = from.clone();
    long[] lows = least.clone();
    int size = 0;
    for (int each = 0; each < from.length; each++) {
      long low = Math.min(most, least[each] - (each < first ? 0 : Math.min(amount, least[each])));
      long begins = from[each];
      while (size > 0 && lows[size - 1] >= low) {
        begins = instants[--size];
      }
      instants[size] = begins;
      lows[size++] = low;
    }
    return new Lows(Arrays.copyOf(instants, size), Arrays.copyOf(lows, size));
  }
}
