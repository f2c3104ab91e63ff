package io.penstock.simulator;

import io.penstock.queue.QueueBounds;
import java.util.ArrayList;
import java.util.List;

/**
 * The tickets of an endpoint that are in its queue, and those that wait for a place there. The core
 * does not announce when it gives a place; it is known at the latest when the ticket goes, or when
 * an instant is over.
 */
final class SimQueue {
  private final boolean exempts;
  private QueueBounds queueBounds;
  private long maxBlocked;
  private long tickets;
  private long tokens;
  private long bytes;

  /** In order of arrival. */
  private final List<SimTicket> blocked = new ArrayList<>();

  /**
   * Creates an empty queue.
   *
   * @param exempts whether the bounds do not apply to tickets that come back
   */
  SimQueue(QueueBounds queueBounds, long maxBlocked, boolean exempts) {
    this.exempts = exempts;
    this.queueBounds = queueBounds;
    this.maxBlocked = maxBlocked;
  }

  /** Sets other bounds; waiting tickets stay, even beyond them. */
  void change(QueueBounds next, long nextMaxBlocked) {
    queueBounds = next;
    maxBlocked = nextMaxBlocked;
  }

  int blocked() {
    return blocked.size();
  }

  /**
   * Returns whether there is a place besides those in the queue and some that have just left it.
   */
  private boolean place(SimTicket ticket, Iterable<SimTicket> alsoThere) {
    long there = tickets + 1;
    long needed = tokens + ticket.cost.totalTokens();
    long reserved = bytes + ticket.bytes;
    for (SimTicket each : alsoThere) {
      there++;
      needed += each.cost.totalTokens();
      reserved += each.bytes;
    }
    return there <= queueBounds.maxTickets()
        && needed <= queueBounds.maxTokens()
        && reserved <= queueBounds.maxBytes();
  }

  /** Returns whether there would be a place if nothing else waited. */
  boolean fitsAlone(SimTicket ticket) {
    return ticket.cost.totalTokens() <= queueBounds.maxTokens()
        && ticket.bytes <= queueBounds.maxBytes();
  }

  /**
   * Adds a ticket, to the queue or to those that wait for a place. Returns whether it surely is in
   * the queue.
   */
  boolean arrived(SimTicket ticket, List<SimTicket> justLeft) {
    if (ticket.facing.paid() && exempts) {
      enter(ticket); // whatever the bounds
      return true;
    }
    if (blocked.isEmpty() && place(ticket, justLeft)) {
      enter(ticket);
      return true;
    }
    if (maxBlocked == 0 && !place(ticket, List.of())) {
      throw new InvariantViolation("waits though the queue is full: " + ticket);
    }
    if (!fitsAlone(ticket)) {
      throw new InvariantViolation("waits for a place that there will never be: " + ticket);
    }
    ticket.blocked = true;
    blocked.add(ticket);
    return false;
  }

  private void enter(SimTicket ticket) {
    ticket.letIn = ticket.blocked;
    ticket.blocked = false;
    ticket.queued = true;
    tickets++;
    tokens += ticket.cost.totalTokens();
    bytes += ticket.bytes;
  }

  /** Notes that a ticket goes: it and all blocked ones before it must have got a place by now. */
  void mustBeIn(SimTicket ticket) {
    while (!blocked.isEmpty() && !ticket.queued && blocked.getFirst().order <= ticket.order) {
      SimTicket first = blocked.removeFirst();
      if (!place(first, List.of())) {
        throw new InvariantViolation(
            "%s goes, and there is no place for %s".formatted(ticket, first));
      }
      enter(first);
    }
  }

  /** Returns whether a blocked ticket may or may not have got its place at this instant already. */
  boolean unsure() {
    return !blocked.isEmpty() && place(blocked.getFirst(), List.of());
  }

  /** Ends the instant: each ticket for which there is a place has it. */
  void over() {
    while (!blocked.isEmpty() && place(blocked.getFirst(), List.of())) {
      enter(blocked.removeFirst());
    }
    if (blocked.size() > maxBlocked && blocked.getLast().sinceReload) {
      throw new InvariantViolation("more wait for a place than may: " + blocked.getLast());
    }
  }

  /** Removes a ticket that no longer waits. */
  void remove(SimTicket ticket) {
    if (ticket.blocked) {
      blocked.remove(ticket);
      ticket.blocked = false;
    } else if (ticket.queued) {
      ticket.queued = false;
      tickets--;
      tokens -= ticket.cost.totalTokens();
      bytes -= ticket.bytes;
    }
  }

  /** Marks the blocked tickets as older than the present bounds. */
  void reloaded() {
    blocked.forEach(each -> each.sinceReload = false);
  }

  /**
   * Returns whether a ticket may be refused for lack of a place, given that some have left only
   * just now.
   */
  boolean full(SimTicket arrived, List<SimTicket> justLeft) {
    if (!fitsAlone(arrived)) {
      return true;
    }
    long others = justLeft.stream().filter(each -> each.wasBlocked).count();
    if (maxBlocked > 0 || !blocked.isEmpty()) {
      return blocked.size() + others >= maxBlocked;
    }
    return !place(arrived, justLeft);
  }
}
