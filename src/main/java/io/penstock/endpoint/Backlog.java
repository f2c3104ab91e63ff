package io.penstock.endpoint;

import io.penstock.cost.Dimension;
import io.penstock.queue.Sizes;

/** What waits, summed up. Belongs to the owner of the queue. */
final class Backlog {
  private long tickets;
  private long bytes;
  private long tokens;
  private final long[] sums = new long[Dimension.COUNT];

  void add(Pending ticket) {
    count(ticket, 1);
  }

  void remove(Pending ticket) {
    count(ticket, -1);
  }

  void add(Backlog other) {
    tickets += other.tickets;
    bytes += other.bytes;
    tokens += other.tokens;
    for (int at = 0; at < sums.length; at++) {
      sums[at] += other.sums[at];
    }
  }

  private void count(Pending ticket, int sign) {
    tickets += sign;
    bytes += sign * ticket.bytes();
    tokens += sign * ticket.cost().totalTokens();
    for (Dimension dimension : Dimension.values()) {
      sums[dimension.index()] += sign * ticket.counted.get(dimension);
    }
  }

  long tickets() {
    return tickets;
  }

  long bytes() {
    return bytes;
  }

  long tokens() {
    return tokens;
  }

  /** Sets {@code sizes} to the sums of what the tickets count for those behind them. */
  void into(Sizes sizes) {
    sizes.reset();
    for (Dimension dimension : Dimension.values()) {
      sizes.lower(dimension, sums[dimension.index()]);
    }
  }
}
