package io.penstock.simulator;

import io.penstock.quota.Quota;
import io.penstock.quota.QuotaGate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tickets whose prompts begin with the same new text, as the oracle models them: after one of them
 * was sent, the others are held until its answer begins or will not come, or the bound is over.
 * Once all have left before one was sent, it has ended.
 */
final class SimHold extends SimQuota {
  private final long holdNanos;
  private final List<SimTicket> members = new ArrayList<>();
  private @Nullable SimTicket alone;
  private @Nullable SimTicket sent;
  private long until;
  private boolean ended;
  private boolean learned;

  SimHold(SimTicket first, long holdNanos) {
    super(Quota.holding("warm-up", new QuotaGate()), List.of(), 0, 0);
    this.alone = first;
    members.add(first);
    this.holdNanos = holdNanos;
  }

  /** Returns the first ticket, once, while no other has the same beginning. */
  @Nullable SimTicket takeAlone() {
    SimTicket first = alone;
    alone = null;
    return first;
  }

  void joined(SimTicket ticket) {
    members.add(ticket);
  }

  /** Returns whether a ticket that arrives now begins another group. */
  boolean ended(long now) {
    ended |= sent == null && members.stream().allMatch(each -> gone(each, now));
    return ended;
  }

  private static boolean gone(SimTicket ticket, long now) {
    return ticket.stage != SimTicket.Stage.WAITING || ticket.deadline < now;
  }

  /** Returns whether its time is over although no answer began. */
  boolean isOver(long now) {
    return sent != null && !ended && now >= until;
  }

  /** Returns whether its tickets are held. */
  boolean holds(long now) {
    return sent != null && !ended && now < until;
  }

  @Override
  boolean lacks(SimDemand demand, long now) {
    return holds(now);
  }

  /** Notes that one of its tickets goes; returns whether the others are held from now on. */
  boolean granted(SimTicket ticket, long now) {
    if (sent != null) {
      return false;
    }
    sent = ticket;
    until = now + holdNanos;
    return true;
  }

  /** Notes that an answer to one of its tickets told what a cache has; returns whether first. */
  boolean learned() {
    boolean first = !learned;
    learned = true;
    return first;
  }

  /** Notes that the answer to a ticket began, or will not come. */
  void ended(SimTicket ticket) {
    ended |= sent == ticket;
  }

  @Override
  public String toString() {
    SimTicket by = sent;
    return by == null
        ? "nobody"
        : "#%d%s until %d".formatted(by.order, ended ? " which has ended" : "", until);
  }
}
