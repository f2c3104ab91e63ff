package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;

/**
 * Sums over waiting tickets: their number, bytes, tokens and sizes. Only the owner of the queue may
 * use it.
 */
final class QueueBacklog {
  private long tickets;
  private long bytes;
  private long tokens;
  private final DimensionSizes sums = new DimensionSizes();
  private final DimensionSizes own = new DimensionSizes();

  QueueBacklog() {
    sums.setAll(0);
  }

  void add(ParkedTicket ticket) {
    count(ticket, 1);
  }

  void remove(ParkedTicket ticket) {
    count(ticket, -1);
  }

  void add(QueueBacklog other) {
    tickets += other.tickets;
    bytes += other.bytes;
    tokens += other.tokens;
    sums.add(other.sums, 1);
  }

  private void count(ParkedTicket ticket, int sign) {
    tickets += sign;
    bytes += sign * ticket.bytes();
    tokens += sign * ticket.cost().totalTokens();
    ticket.sizesInto(own);
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
   * Sets {@code dimensionSizes} to the sum of the sizes with which the tickets count for those
   * behind them.
   */
  void into(DimensionSizes dimensionSizes) {
    dimensionSizes.reset();
    dimensionSizes.lower(sums);
  }
}
