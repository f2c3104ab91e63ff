package io.penstock.dispatch;

import io.penstock.tenant.SharedState;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The warm-up groups of one endpoint. Only the owner of the queue may use it. */
final class CacheWarmups {
  /** Most groups at a time; further requests with new beginnings are not held. */
  static final int MOST = 256;

  private record GroupKey(TicketRequest.SharedPrefix prefix, @Nullable String model) {}

  /** A group, and its first ticket until a second one arrives: alone it waits for nothing. */
  private static final class Members {
    private final WarmupGroup group;
    private @Nullable ParkedTicket alone;

    Members(WarmupGroup group, ParkedTicket first) {
      this.group = group;
      this.alone = first;
    }
  }

  @SharedState("warm-up groups")
  private final Map<GroupKey, Members> groups = new HashMap<>();

  /**
   * Puts a ticket that has just arrived into its group, if its prompt has a new beginning.
   *
   * @param moveBehind makes a ticket that already waits wait for the group
   * @return the group if the ticket is to wait for it, because it is not the first one there
   */
  @Nullable WarmupGroup join(
      ParkedTicket parkedTicket, BiConsumer<ParkedTicket, WarmupGroup> moveBehind) {
    TicketRequest.SharedPrefix prefix = parkedTicket.sharedPrefix();
    // sent again: it has been through its group, or leads it
    boolean again = parkedTicket.warmup() != null;
    if (prefix == null || again || parkedTicket.shadow() != null) {
      return null;
    }
    GroupKey key = new GroupKey(prefix, parkedTicket.model());
    Members known = groups.get(key);
    if (known == null || known.group.ended()) {
      begin(key, parkedTicket, prefix.holdNanos());
      return null;
    }
    ParkedTicket alone = known.alone;
    if (alone != null) {
      known.alone = null;
      moveBehind.accept(alone, known.group);
    }
    parkedTicket.warmup(known.group);
    return known.group;
  }

  private void begin(GroupKey key, ParkedTicket first, long holdNanos) {
    groups.remove(key);
    if (groups.size() >= MOST) {
      groups.values().removeIf(each -> each.group.ended());
    }
    if (groups.size() < MOST) {
      WarmupGroup group = new WarmupGroup(holdNanos);
      groups.put(key, new Members(group, first));
      first.warmup(group);
    }
  }
}
