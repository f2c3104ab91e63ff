package io.penstock.dispatch;

import io.penstock.quota.TicketBatch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tickets before one ticket, as the groups of a {@link VirtualRun}: one for each lane. Where
 * there are many lanes, those of other callers are one group for each set of upstreams, without the
 * quotas of their keys; those that their keys hold are then left out. Belongs to one thread.
 */
final class WaitingGroups {
  /** Most lanes that are run with the quotas of their keys. */
  private static final int MOST_LANES = 8;

  private final ParkedTicket ticket;
  private final boolean many;
  private final VirtualRun run;
  private final List<VirtualRun.Group> groups = new ArrayList<>();
  private final Map<LaneKey, QueueBacklog> merged = new LinkedHashMap<>();
  private final Map<LaneKey, List<TicketRoute>> mergedRoutes = new LinkedHashMap<>();

  /**
   * Creates an empty list.
   *
   * @param lanes how many lanes there may be
   */
  WaitingGroups(ParkedTicket ticket, int lanes, VirtualRun run) {
    this.ticket = ticket;
    this.many = lanes > MOST_LANES;
    this.run = run;
  }

  /**
   * Adds tickets of a lane.
   *
   * @param held whether their own key holds all of them
   */
  void add(LaneKey laneKey, List<TicketRoute> routes, TicketBatch batch, boolean held) {
    if (!many || laneKey.equals(ticket.laneKey())) {
      groups.add(new VirtualRun.Group(routes, batch));
    } else if (held) {
      run.leavesOut();
    } else {
      LaneKey key = laneKey.withoutAccount();
      merged.computeIfAbsent(key, absent -> new QueueBacklog()).add(batch);
      mergedRoutes.computeIfAbsent(
          key, absent -> routes.stream().map(TicketRoute::withoutKey).toList());
    }
  }

  /** Notes that there are more tickets than were added. */
  void leaveOut() {
    run.leavesOut();
  }

  /** Adds tickets that wait for a place in the queue, as if they had the same routes. */
  void addBlocked(List<TicketRoute> routes, QueueBacklog blocked) {
    if (blocked.tickets() > 0) {
      groups.add(new VirtualRun.Group(routes, blocked.batch()));
    }
  }

  /** Returns the groups. */
  List<VirtualRun.Group> all() {
    merged.forEach(
        (key, backlog) ->
            groups.add(
                new VirtualRun.Group(mergedRoutes.getOrDefault(key, List.of()), backlog.batch())));
    merged.clear();
    return groups;
  }
}
