package io.penstock.queue;

import io.penstock.cost.Dimension;
import java.util.Arrays;

/**
 * One number for each {@link Dimension}: a room to compare tickets with, or the sizes of tickets.
 * Belongs to one thread at a time.
 */
public final class Sizes {
  final long[] values = new long[Dimension.COUNT];

  /** Makes sizes that are all {@link Long#MAX_VALUE}. */
  public Sizes() {
    reset();
  }

  /** Sets all to {@link Long#MAX_VALUE}. */
  public void reset() {
    Arrays.fill(values, Long.MAX_VALUE);
  }

  /** Lowers one dimension to {@code size} if it is larger. */
  public void lower(Dimension dimension, long size) {
    int at = dimension.index();
    values[at] = Math.min(values[at], size);
  }

  /** Returns the size in a dimension. */
  public long get(Dimension dimension) {
    return values[dimension.index()];
  }

  /** Sets these sizes to those of a ticket. */
  public void set(Ticket ticket) {
    set(ticket.sizes);
  }

  void set(long[] sizes) {
    System.arraycopy(sizes, 0, values, 0, values.length);
  }

  boolean admit(long[] sizes) {
    for (int at = 0; at < values.length; at++) {
      if (sizes[at] > values[at]) {
        return false;
      }
    }
    return true;
  }
}
