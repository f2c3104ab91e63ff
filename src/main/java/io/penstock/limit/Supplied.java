package io.penstock.limit;

/**
 * What was heard last of a shared limit.
 *
 * @param capacity the lowest that any instance has for it
 * @param denied the least amount known not to be there for anybody now; {@link Long#MAX_VALUE}
 *     where nothing is known
 * @param heardNanos when that was heard: what may be spent at once began no sooner
 * @param untilNanos until when that stands
 */
public record Supplied(long capacity, long denied, long heardNanos, long untilNanos) {
  /** Nothing was. */
  public static final Supplied NOTHING =
      new Supplied(Long.MAX_VALUE, Long.MAX_VALUE, Long.MIN_VALUE / 2, 0);

  boolean denies(long amount, long now) {
    return amount >= denied && now < untilNanos;
  }
}
