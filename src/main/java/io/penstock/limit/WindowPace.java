package io.penstock.limit;

import java.util.function.LongUnaryOperator;

/**
 * Pace of a trailing window: a generic cell rate algorithm in its virtual-scheduling form (ITU-T
 * I.371). An amount moves {@code fullAt} on by the time that it takes at the steady rate. An amount
 * above the burst goes when the burst is whole, and leaves a debt. A refund moves {@code fullAt}
 * back, but never further than to where it would be if the amount had not been taken.
 *
 * @param spec the window
 * @param part the part of the capacity at which the pace runs; {@link #ALL} when nobody shares it
 * @param fullAt the instant at which the burst would be whole again
 * @param lows by how much each take can still move the pace back, in nanoseconds by its running
 *     total
 */
record WindowPace(LimitSpec.TrailingWindow spec, long part, long fullAt, BucketLows lows) {
  /** The pace runs at the whole capacity. */
  static final long ALL = Long.MAX_VALUE;

  static WindowPace starting(LimitSpec.TrailingWindow spec, long now) {
    return new WindowPace(spec, ALL, now, BucketLows.since(0, 0));
  }

  private WindowPace with(long nextFullAt, BucketLows nextLows) {
    return new WindowPace(spec, part, nextFullAt, nextLows);
  }

  /** Returns this pace when the whole burst was used up. */
  WindowPace burstUsed(long now) {
    return with(now + nanosFor(burst()), lows);
  }

  /** Returns the time of {@code amount} at the steady rate; a double is exact to 10⁻⁵ ns here. */
  private long nanosFor(long amount) {
    return (long) Math.ceil(exactNanosFor(amount));
  }

  private double exactNanosFor(long amount) {
    return Math.min((double) AmountBound.MOST, (double) amount * spec.windowNanos() / capacity());
  }

  /** Returns the amount that the pace lets pass in a window. */
  private long capacity() {
    return Math.min(part, spec.capacity());
  }

  /** Returns the part of the burst that the part of the capacity has, ≥ 1. */
  private long burst() {
    boolean whole = part >= spec.capacity() || spec.burst() == LimitSpec.TrailingWindow.UNPACED;
    return whole
        ? spec.burst()
        : Math.max(1, (long) ((double) spec.burst() * part / spec.capacity()));
  }

  /**
   * Returns this pace for a part of the capacity, ≥ 1. The same part of the burst stays used up, so
   * that nothing pauses when the part shrinks, and no burst comes when it grows; a debt beyond the
   * burst stays the same amount.
   */
  WindowPace of(long nextPart, long now) {
    WindowPace next = new WindowPace(spec, nextPart, fullAt, lows);
    double burst = exactNanosFor(burst());
    double nextBurst = next.exactNanosFor(next.burst());
    double scale = (double) capacity() / next.capacity();
    return next.capacity() == capacity()
        ? next
        : next.owing(
            nanos ->
                nanos <= burst
                    ? Math.round(nanos * nextBurst / burst)
                    : Math.round(nextBurst + (nanos - burst) * scale),
            now);
  }

  /** Returns this pace of a window at another rate. It owes the same amount as before. */
  WindowPace of(LimitSpec.TrailingWindow nextSpec, long now) {
    WindowPace next = new WindowPace(nextSpec, part, fullAt, lows);
    boolean same = capacity() == next.capacity() && burst() == next.burst();
    double scale = (double) capacity() / next.capacity();
    return same ? next : next.owing(nanos -> Math.round(nanos * scale), now);
  }

  private WindowPace owing(LongUnaryOperator change, long now) {
    return with(now + change.applyAsLong(Math.max(0, fullAt - now)), lowsAt(now).changed(change));
  }

  /** Returns by how much takes can still move the pace back at {@code now}. */
  private BucketLows lowsAt(long now) {
    return lows.filled(Math.max(0, fullAt - now));
  }

  /** Returns the instant from which an amount may pass. */
  long allowsAt(long amount) {
    return fullAt + nanosFor(Math.min(amount, burst())) - nanosFor(burst());
  }

  /** Returns the amount, at most the burst, that may pass at {@code now}. */
  long room(long now) {
    double spare = (double) now - fullAt + nanosFor(burst());
    return Math.clamp((long) (spare * capacity() / spec.windowNanos()), 0, burst());
  }

  /** Returns this pace after a take, with the running total of all takes after it. */
  WindowPace taken(long amount, long total, long now) {
    long next = after(amount, now);
    return with(next, lowsAt(now).taken(total, Math.max(0, next - now)));
  }

  /** Returns this pace after a charge; less than 0 does not move it. */
  WindowPace charged(long amount, long now) {
    return amount <= 0 ? this : with(after(amount, now), lowsAt(now));
  }

  /** Returns this pace after part or all of the take up to that running total was given back. */
  WindowPace givenBack(long amount, long total, long now) {
    BucketLows filled = lowsAt(now);
    long back = Math.min(filled.of(total), (long) exactNanosFor(amount));
    return with(fullAt - back, filled.given(total, back));
  }

  /**
   * Returns when the burst is whole after {@code amount} more. Rounded down, so that many small
   * amounts never move it further than their sum would; the window limits them all the same. An
   * overrun slows the pace for at most a window, because after that nothing of it counts.
   */
  private long after(long amount, long now) {
    long longest = now + spec.windowNanos() + nanosFor(burst());
    long next = Math.max(fullAt, now) + (long) exactNanosFor(amount);
    return Math.max(fullAt, Math.min(longest, next));
  }
}
