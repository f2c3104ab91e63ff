package io.penstock.endpoint;

import io.penstock.queue.Sizes;

/**
 * Sums over waiting tickets: their number, bytes, tokens and sizes. Only the owner of the queue may
 * use it.
 */
final class Backlog {
  private long tickets;
  private long bytes;
  private long tokens;
  private final Sizes sums = new Sizes();
  private final Sizes own = new Sizes();

  Backlog() {
    sums.setAll(0);
  }

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
    sums.add(other.sums, 1);
  }

  private void count(Pending ticket, int sign) {
    tickets += sign;
    bytes += sign * ticket.bytes();
    tokens += sign * ticket.cost().totalTokens();
    own.set(ticket);
    sums.add(ticket.counted == null ? own : ticket.counted, sign);
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

  /**
   * Sets {@code sizes} to the sum of the sizes with which the tickets count for those behind them.
   */
  void into(Sizes sizes) {
    sizes.reset();
    sizes.lower(sums);
  }
}
