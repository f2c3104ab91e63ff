package io.penstock.dispatch;

import io.penstock.queue.FlowBacklog;
import io.penstock.queue.QueueBounds;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * Shares the places of a fair queue between the flows that wait there, so that no flow fills it. A
 * flow may have at most three times as much in the queue as is still free. So a flow alone takes
 * three quarters of it, and however many flows take as much as they may, there is always something
 * left for the next one, without anything being set aside for flows that do not come.
 *
 * <p>Source: Choudhury and Hahne, <em>Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches</em>, IEEE/ACM Transactions on Networking, 1998.
 *
 * <p>Where a full queue blocks, the places are those in the queue and those of blocked tickets
 * together, and tokens and bytes are not shared, because a ticket for which they do not suffice is
 * blocked.
 *
 * @param bounds the bounds of the queue
 * @param maxBlocked how many tickets may be blocked besides
 * @param queued the sums over the tickets in the queue
 * @param blocked the tickets that are blocked
 */
record FlowPlaces(
    QueueBounds bounds, int maxBlocked, QueueBacklog queued, Collection<ParkedTicket> blocked) {
  /** How many times as much as is free a flow may have. */
  private static final int TIMES = 3;

  /**
   * Returns what the flow of a ticket takes, with the ticket, if that is more than its share; or
   * null.
   *
   * @param own the sums over the tickets of its flow in the queue, with the ticket if it is there
   */
  @Nullable String overShare(ParkedTicket ticket, FlowBacklog own) {
    int self = ticket.queued() ? 1 : 0;
    long places = bounds.maxTickets() + maxBlocked;
    long free = places - (queued.tickets() - self + blocked.size());
    if (queued.tickets() + blocked.size() >= (TIMES * places) / (TIMES + 1)) {
      long others = own.tickets() - self + blockedOf(ticket.flow());
      if (isOver(others + 1, free)) {
        return others + " of " + places + " tickets";
      }
    }
    if (maxBlocked > 0) {
      return null;
    }
    long tokens = self * ticket.cost().totalTokens();
    if (isOver(own.tokens(), bounds.maxTokens() - (queued.tokens() - tokens))) {
      return (own.tokens() - tokens) + " of " + bounds.maxTokens() + " tokens";
    }
    long bytes = self * ticket.bytes();
    return isOver(own.bytes(), bounds.maxBytes() - (queued.bytes() - bytes))
        ? (own.bytes() - bytes) + " of " + bounds.maxBytes() + " bytes"
        : null;
  }

  private static boolean isOver(long own, long free) {
    return Math.ceilDiv(own, TIMES) > free;
  }

  private long blockedOf(String flow) {
    return blocked.stream().filter(each -> each.flow().equals(flow)).count();
  }
}
