package io.penstock.endpoint;

import io.penstock.cost.Dimension;
import io.penstock.queue.Sizes;
import io.penstock.queue.Ticket;

/** What waits, summed up. Belongs to the owner of the queue. */
final class Backlog {
  private long tickets;
  private long bytes;
  private final long[] sums = new long[Dimension.COUNT];

  void add(Ticket ticket) {
    count(ticket, 1);
  }

  void remove(Ticket ticket) {
    count(ticket, -1);
  }

  private void count(Ticket ticket, int sign) {
    tickets += sign;
    bytes += sign * ticket.bytes();
    for (Dimension dimension : Dimension.values()) {
      sums[dimension.index()] += sign * dimension.of(ticket.cost());
    }
  }

  long tickets() {
    return tickets;
  }

  long bytes() {
    return bytes;
  }

  long tokens() {
    return sums[Dimension.TOTAL.index()];
  }

  /** Sets {@code sizes} to the sums. */
  void into(Sizes sizes) {
    sizes.reset();
    for (Dimension dimension : Dimension.values()) {
      sizes.lower(dimension, sums[dimension.index()]);
    }
  }
}
