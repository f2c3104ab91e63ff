package io.penstock.dispatch;

import io.penstock.pool.ActiveKeys;
import io.penstock.queue.DynamicThreshold;
import io.penstock.queue.QueueBounds;
import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Shares of flows and tenants in the places, tokens and bytes of a queue, so that none fills it. In
 * a fair queue, a flow has at most what a {@link DynamicThreshold} leaves to it. So has, in any
 * order, a tenant beside which another one is active: one that waits here, or has sent something in
 * the last hour.
 *
 * <p>Where a full queue blocks, the places are those in the queue and those of blocked tickets
 * together, and tokens and bytes are not shared, because a ticket for which they do not suffice is
 * blocked.
 *
 * <p>Only the owner of the queue may use it, except for the record of active tenants.
 */
final class QueueShares {
  private static final long ACTIVE_NANOS = 3_600_000_000_000L;

  /** Sums over some tickets. */
  private static final class Sums {
    private long tickets;
    private long tokens;
    private long bytes;

    void count(ParkedTicket ticket, int sign) {
      tickets += sign;
      tokens += sign * ticket.cost().totalTokens();
      bytes += sign * ticket.bytes();
    }
  }

  private final Sums all = new Sums();

  @SharedState("waiting tickets")
  private final Map<Object, Sums> ofTenants = new HashMap<>();

  @SharedState("waiting tickets")
  private final Map<String, Sums> ofFlows = new HashMap<>();

  private final ActiveKeys activeTenants = new ActiveKeys(ACTIVE_NANOS);

  /** Returns the record of active tenants. Any thread may use it. */
  ActiveKeys activeTenants() {
    return activeTenants;
  }

  /** Adds a ticket that is in the queue or blocked from now on. */
  void add(ParkedTicket ticket) {
    all.count(ticket, 1);
    ofTenants.computeIfAbsent(ticket.tenant(), absent -> new Sums()).count(ticket, 1);
    ofFlows.computeIfAbsent(ticket.flow(), absent -> new Sums()).count(ticket, 1);
  }

  /** Removes a ticket. */
  void remove(ParkedTicket ticket) {
    all.count(ticket, -1);
    remove(ofTenants, ticket.tenant(), ticket);
    remove(ofFlows, ticket.flow(), ticket);
  }

  /** Returns how many tickets of the same tenant as that ticket are in the queue or blocked. */
  long ticketsOf(ParkedTicket ticket) {
    Sums sums = ofTenants.get(ticket.tenant());
    return sums == null ? 0 : sums.tickets;
  }

  private static <K> void remove(Map<K, Sums> from, K key, ParkedTicket ticket) {
    from.computeIfPresent(
        key,
        (same, sums) -> {
          sums.count(ticket, -1);
          return sums.tickets == 0 ? null : sums;
        });
  }

  /**
   * Returns why a ticket gets no place if its flow or its tenant may not have another one, or null.
   *
   * @param ticket one that has arrived and was not added
   * @param fair whether flows share the queue
   * @param bounds the bounds of the queue
   * @param maxBlocked how many tickets may be blocked besides
   */
  @Nullable String exceeded(
      ParkedTicket ticket, boolean fair, QueueBounds bounds, int maxBlocked, long now) {
    if (fair) {
      String ofFlow = exceeded(ofFlows.get(ticket.flow()), ticket, bounds, maxBlocked);
      if (ofFlow != null) {
        return nearlyFull("its flow", ofFlow);
      }
    }
    Sums own = ofTenants.get(ticket.tenant());
    int others = ofTenants.size() - (own == null ? 0 : 1);
    if (others == 0 && activeTenants.only(ticket.tenant(), now)) {
      return null;
    }
    String ofTenant = exceeded(own, ticket, bounds, maxBlocked);
    return ofTenant == null ? null : nearlyFull(whose(ticket), ofTenant);
  }

  private static String nearlyFull(String whose, String held) {
    return "the queue is nearly full, and %s already holds %s, which is its share"
        .formatted(whose, held);
  }

  /** Returns the words for the tenant of a ticket. */
  static String whose(ParkedTicket ticket) {
    return ticket.origin().key() == null ? "its client" : "its key";
  }

  private @Nullable String exceeded(
      @Nullable Sums own, ParkedTicket ticket, QueueBounds bounds, int maxBlocked) {
    Sums held = own == null ? new Sums() : own;
    long places = bounds.maxTickets() + maxBlocked;
    if (DynamicThreshold.isExceeded(held.tickets + 1, places - all.tickets)) {
      return held.tickets + " of " + places + " tickets";
    }
    if (maxBlocked > 0) {
      return null;
    }
    long tokens = held.tokens + ticket.cost().totalTokens();
    if (DynamicThreshold.isExceeded(tokens, bounds.maxTokens() - all.tokens)) {
      return held.tokens + " of " + bounds.maxTokens() + " tokens";
    }
    return DynamicThreshold.isExceeded(held.bytes + ticket.bytes(), bounds.maxBytes() - all.bytes)
        ? held.bytes + " of " + bounds.maxBytes() + " bytes"
        : null;
  }
}
