package io.penstock.queue;

/**
 * Sums over the tickets of one flow in the queues of an endpoint. Belongs to one thread at a time.
 */
public final class FlowBacklog {
  private long tickets;
  private long tokens;
  private long bytes;

  FlowBacklog() {}

  void add(Ticket ticket) {
    count(ticket, 1);
  }

  void remove(Ticket ticket) {
    count(ticket, -1);
  }

  private void count(Ticket ticket, int sign) {
    tickets += sign;
    tokens += sign * ticket.cost().totalTokens();
    bytes += sign * ticket.bytes();
  }

  /** Returns the number of tickets. */
  public long tickets() {
    return tickets;
  }

  /** Returns their expected tokens. */
  public long tokens() {
    return tokens;
  }

  /** Returns the bytes of their bodies. */
  public long bytes() {
    return bytes;
  }
}
