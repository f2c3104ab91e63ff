package io.penstock.limit;

/**
 * What was heard last of a shared limit.
 *
 * @param capacity the lowest that any instance has for it
 * @param denied the least amount known not to be there for anybody now; {@link Long#MAX_VALUE}
 *     where nothing is known
 * @param heardNanos when that was heard: what may be spent at once began no sooner
 * @param untilNanos until when that stands
 * @param barred whether nothing is granted now because what was spent may have been lost
 * @param left what no instance had of the running cell when that was heard, ≥ 0
 * @param leftUntilNanos when the whole limit is left again: from then on nothing is known
 */
public record Supplied(
    long capacity,
    long denied,
    long heardNanos,
    long untilNanos,
    boolean barred,
    long left,
    long leftUntilNanos) {
  /** Nothing was. */
  public static final Supplied NOTHING =
      new Supplied(Long.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE / 2, 0);

  /** Nothing was heard of what is left, and nothing is lost. */
  public Supplied(long capacity, long denied, long heardNanos, long untilNanos) {
    this(capacity, denied, heardNanos, untilNanos, false, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  /** This, heard at {@code now} of nobody: nothing is known to be denied. */
  public Supplied alone(long now) {
    return new Supplied(capacity, Long.MAX_VALUE, now, 0, false, left, leftUntilNanos);
  }

  boolean bars(long now) {
    return barred && now < untilNanos;
  }

  boolean denies(long amount, long now) {
    return amount >= denied && now < untilNanos;
  }

  /** Whether what was left then still tells something. */
  boolean tells(long now) {
    return now < leftUntilNanos;
  }

  /** What is left of a bucket that holds so much: it fills evenly until it is full. */
  long filled(long capacity, long now) {
    double part = (double) (now - heardNanos) / Math.max(1, leftUntilNanos - heardNanos);
    return left + (long) (Math.max(0, capacity - left) * Math.clamp(part, 0, 1));
  }
}
