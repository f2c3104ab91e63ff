package io.penstock.dispatch;

import io.penstock.queue.DimensionSizes;
import io.penstock.queue.QueueBounds;
import io.penstock.quota.TicketBatch;
import org.jspecify.annotations.Nullable;

/**
 * Sums over waiting tickets: their number, bytes, tokens and sizes. Only the owner of the queue may
 * use it.
 */
final class QueueBacklog {
  private long tickets;
  private long bytes;
  private long tokens;
  private final DimensionSizes sums = new DimensionSizes();
  private final DimensionSizes largest = new DimensionSizes();
  private final DimensionSizes own = new DimensionSizes();

  QueueBacklog() {
    sums.setAll(0);
    largest.setAll(0);
  }

  /** Returns sums of which only the number and the total tokens are known. */
  static QueueBacklog of(long tickets, long tokens) {
    QueueBacklog backlog = new QueueBacklog();
    backlog.tickets = tickets;
    backlog.tokens = tokens;
    backlog.sums.setAll(tokens);
    return backlog;
  }

  void add(ParkedTicket ticket) {
    count(ticket, 1);
  }

  void remove(ParkedTicket ticket) {
    count(ticket, -1);
  }

  /** Returns them as a batch, which changes with them. */
  TicketBatch batch() {
    return TicketBatch.ofEqual(tickets, sums);
  }

  /** Adds the tickets of a batch; their bytes and total tokens are not known. */
  void add(TicketBatch batch) {
    tickets += batch.tickets();
    sums.add(batch.sizes(), 1);
  }

  /** Removes the tickets of a batch that was added; returns how many tickets are left. */
  long remove(TicketBatch batch) {
    tickets -= batch.tickets();
    sums.add(batch.sizes(), -1);
    return tickets;
  }

  private void count(ParkedTicket ticket, int sign) {
    tickets += sign;
    bytes += sign * ticket.bytes();
    tokens += sign * ticket.cost().totalTokens();
    ticket.sizesInto(own);
    sums.add(ticket.counted == null ? own : ticket.counted, sign);
    if (tickets == 0) {
      largest.setAll(0);
    } else if (sign > 0) {
      largest.raise(ticket.counted == null ? own : ticket.counted);
    }
  }

  /** Returns sizes that none of the tickets exceeds. */
  DimensionSizes largest() {
    return largest;
  }

  /** Returns the sizes with which a ticket counts. */
  static DimensionSizes counted(ParkedTicket ticket) {
    DimensionSizes sizes = new DimensionSizes();
    ticket.sizesInto(sizes);
    return ticket.counted == null ? sizes : ticket.counted;
  }

  long tickets() {
    return tickets;
  }

  long tokens() {
    return tokens;
  }

  long bytes() {
    return bytes;
  }

  /** Returns which bound leaves no place for another ticket beside these, or null. */
  @Nullable String boundReached(QueueBounds bounds, ParkedTicket parkedTicket) {
    if (tickets >= bounds.maxTickets()) {
      return bounds.maxTickets() + " tickets";
    }
    if (parkedTicket.cost().totalTokens() > bounds.maxTokens() - tokens) {
      return bounds.maxTokens() + " tokens";
    }
    return parkedTicket.bytes() > bounds.maxBytes() - bytes ? bounds.maxBytes() + " bytes" : null;
  }
}
