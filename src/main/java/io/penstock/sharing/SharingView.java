package io.penstock.sharing;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The number of instances that share limits, and the outage of their store, for operators. Safe
 * from any thread.
 *
 * @param members returns the number of instances that are known to share limits, this one included;
 *     1 while the store is away
 * @param outage returns the present outage of the store of shared limits, or null
 */
public record SharingView(LongSupplier members, Supplier<@Nullable Outage> outage) {
  /** The view of an instance that shares nothing. */
  public static final SharingView ALONE = new SharingView(() -> 1, () -> null);

  /**
   * An outage of the store of shared limits.
   *
   * @param sinceNanos when the store answered last, or the start of this instance
   * @param policy what limits do meanwhile
   */
  public record Outage(long sinceNanos, OutagePolicy policy) {}
}
