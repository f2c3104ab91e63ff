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
 */
public record Supplied(
    long capacity, long denied, long heardNanos, long untilNanos, boolean barred) {
  /** Nothing was. */
  public static final Supplied NOTHING =
      new Supplied(Long.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE / 2, 0);

  /** What was heard of a limit of which nothing is lost. */
  public Supplied(long capacity, long denied, long heardNanos, long untilNanos) {
    this(capacity, denied, heardNanos, untilNanos, false);
  }

  boolean bars(long now) {
    return barred && now < untilNanos;
  }

  boolean denies(long amount, long now) {
    return amount >= denied && now < untilNanos;
  }
}
