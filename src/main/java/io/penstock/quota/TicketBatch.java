package io.penstock.quota;

import io.penstock.cost.CostDimension;
import io.penstock.queue.DimensionSizes;
import java.util.List;

/**
 * Tickets that are taken from quotas in advance, one after the other: with their own sizes, or, if
 * there are many, each as if it were of the mean size.
 */
public final class TicketBatch {
  private final long tickets;

  /** The sums of the first so many tickets' sizes, or of all. */
  private final DimensionSizes[] sums;

  private TicketBatch(long tickets, DimensionSizes... sums) {
    this.tickets = tickets;
    this.sums = sums;
  }

  /**
   * Creates a batch of tickets of equal size.
   *
   * @param tickets their number, ≥ 1
   * @param sizes the sums of their sizes; must not change
   */
  public static TicketBatch ofEqual(long tickets, DimensionSizes sizes) {
    return new TicketBatch(tickets, sizes);
  }

  /** Creates a batch of tickets with these sizes, at least one. */
  public static TicketBatch of(List<DimensionSizes> sizes) {
    DimensionSizes[] sums = new DimensionSizes[sizes.size() + 1];
    sums[0] = new DimensionSizes();
    sums[0].setAll(0);
    for (int each = 0; each < sizes.size(); each++) {
      sums[each + 1] = new DimensionSizes();
      sums[each + 1].setAll(0);
      sums[each + 1].add(sums[each], 1);
      sums[each + 1].add(sizes.get(each), 1);
    }
    return new TicketBatch(sizes.size(), sums);
  }

  /** Returns how many tickets it has. */
  public long tickets() {
    return tickets;
  }

  /** Returns the sums of all their sizes, which must not be changed. */
  public DimensionSizes sizes() {
    return sums[sums.length - 1];
  }

  /** Returns the size of the {@code count} tickets after the first {@code done}. */
  long amount(CostDimension costDimension, long done, long count) {
    return sum(costDimension, done + count) - sum(costDimension, done);
  }

  private long sum(CostDimension costDimension, long first) {
    if (sums.length > 1) {
      return sums[(int) first].get(costDimension);
    }
    long all = sums[0].get(costDimension);
    return first == tickets ? all : (long) ((double) all * first / tickets);
  }
}
