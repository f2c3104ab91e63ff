package io.penstock.dispatch;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The warm-up groups of one endpoint. Only the owner of the queue may use it. */
final class CacheWarmups {
  /** Most groups at a time; further requests with new beginnings are not held. */
  static final int MOST = 256;

  private record GroupKey(TicketRequest.SharedPrefix prefix, @Nullable String model) {}

  private final Map<GroupKey, WarmupGroup> groups = new HashMap<>();

  /**
   * Puts a ticket that has just arrived into its group, if its prompt has a new beginning.
   *
   * @return the group if the ticket is to wait for it, because it is not the first one there
   */
  @Nullable WarmupGroup join(ParkedTicket parkedTicket) {
    TicketRequest.SharedPrefix prefix = parkedTicket.sharedPrefix();
    if (prefix == null || parkedTicket.shadow() != null) {
      return null;
    }
    GroupKey key = new GroupKey(prefix, parkedTicket.model());
    WarmupGroup known = groups.get(key);
    if (known != null && !known.ended()) {
      parkedTicket.warmup(known);
      return known;
    }
    if (groups.size() >= MOST) {
      groups.values().removeIf(WarmupGroup::ended);
    }
    if (known != null || groups.size() < MOST) {
      WarmupGroup group = new WarmupGroup(parkedTicket, prefix.holdNanos());
      groups.put(key, group);
      parkedTicket.warmup(group);
    }
    return null;
  }
}
