package io.penstock.dispatch;

import io.penstock.tenant.SharedState;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The warm-up groups of one endpoint. When there are too many, the oldest one ends; a tenant that
 * has a quarter of them ends its own oldest one instead. Only the owner of the queue may use it.
 */
final class CacheWarmups {
  /** Most groups at a time. */
  static final int MOST = 256;

  /** Most groups that requests of one tenant may have begun. */
  static final int SHARE = MOST / 4;

  private record GroupKey(TicketRequest.SharedPrefix prefix, @Nullable String model) {}

  /** A group, and its first ticket until a second one arrives: alone it waits for nothing. */
  private static final class Members {
    private final WarmupGroup group;
    private final Object tenant;
    private @Nullable ParkedTicket alone;

    Members(WarmupGroup group, ParkedTicket first) {
      this.group = group;
      this.tenant = first.tenant();
      this.alone = first;
    }
  }

  /** The groups, the oldest one first. */
  @SharedState("warm-up groups")
  private final Map<GroupKey, Members> groups = new LinkedHashMap<>();

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
    parkedTicket.joins(known.group);
    return known.group;
  }

  private void begin(GroupKey key, ParkedTicket first, long holdNanos) {
    groups.remove(key);
    makeRoom(first.tenant());
    WarmupGroup group = new WarmupGroup(holdNanos);
    groups.put(key, new Members(group, first));
    first.joins(group);
  }

  /** Forgets the groups that have ended, and ends one if there is no room for another. */
  private void makeRoom(Object tenant) {
    if (groups.size() < SHARE) {
      return;
    }
    groups.values().removeIf(each -> each.group.ended());
    long own = groups.values().stream().filter(each -> each.tenant.equals(tenant)).count();
    if (own >= SHARE) {
      endFirst(each -> each.tenant.equals(tenant));
    } else if (groups.size() >= MOST) {
      endFirst(each -> true);
    }
  }

  private void endFirst(Predicate<Members> which) {
    Iterator<Members> oldest = groups.values().iterator();
    while (oldest.hasNext()) {
      Members each = oldest.next();
      if (which.test(each)) {
        oldest.remove();
        each.group.end();
        return;
      }
    }
  }
}
