package io.penstock.limit;

import java.util.Arrays;
import java.util.function.LongUnaryOperator;

/**
 * The least that was missing from a bucket since each instant, its low: tokens of a token bucket,
 * or time of the pace of a window, which is a bucket as well. An instant is any number that never
 * falls from one take to the next. No more than that can be given back of a take at that instant:
 * had the rest never been taken, the bucket would have been full in between, and further tokens
 * would have been lost.
 *
 * <p>The missing amount is a Lindley process: taking {@code x} less at one instant lowers it by the
 * lesser of {@code x} and the least it was since. A refund lowers all that was missing since the
 * take, and thereby what later refunds can return.
 *
 * <p>The lows are kept for stretches of time, each until now, in rising order. A take begins
 * another stretch when more than a 32nd above the last low is missing, so that almost all of a take
 * within a stretch can come back. When there are too many stretches, the two oldest become one.
 * Both simplifications give less than the true value, never more. Immutable.
 *
 * @param from the instants at which the stretches begin
 * @param least the low of each stretch
 */
@SuppressWarnings("ArrayRecordComponent") // arrays are never changed: it is enough to compare which
record BucketLows(long[] from, long[] least) {
  private static final int MOST = 64;
  private static final int STEP = 32;

  /** Creates the lows of a bucket about which nothing is known before {@code now}. */
  static BucketLows since(long now, long missing) {
    return new BucketLows(new long[] {now}, new long[] {missing});
  }

  private long last() {
    return least[least.length - 1];
  }

  /** Returns the lows after the bucket was filled so that only {@code missing} is missing. */
  BucketLows filled(long missing) {
    return missing >= last() ? this : with(least.length, 0, missing);
  }

  /** Returns the lows when what was missing is counted otherwise, in the same order. */
  BucketLows changed(LongUnaryOperator change) {
    return new BucketLows(from, Arrays.stream(least).map(change).toArray());
  }

  /** Returns the lows after a take at {@code now}, when {@code missing} is missing. */
  BucketLows taken(long now, long missing) {
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
    return new BucketLows(instants, lows);
  }

  /** Returns the most that can be given back of a take at {@code instant}, ≥ 0. */
  long of(long instant) {
    int at = indexOf(instant);
    return at < 0 ? 0 : least[at];
  }

  /** Returns the stretch that contains an instant, −1 before all of them. */
  private int indexOf(long instant) {
    int at = from.length - 1;
    while (at >= 0 && from[at] > instant) {
      at--;
    }
    return at;
  }

  /**
   * Returns the lows after {@code amount}, at most {@link #of}, of a take at {@code instant} was
   * given back.
   */
  BucketLows given(long instant, long amount) {
    int at = indexOf(instant);
    return at < 0 || amount == 0 ? this : with(at, amount, Long.MAX_VALUE);
  }

  /**
   * Returns the lows less {@code amount} from stretch {@code first} on, and none above {@code
   * most}.
   */
  private BucketLows with(int first, long amount, long most) {
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
    return new BucketLows(Arrays.copyOf(instants, size), Arrays.copyOf(lows, size));
  }
}
