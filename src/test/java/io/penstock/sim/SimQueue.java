package io.penstock.sim;

import io.penstock.queue.Bounds;
import java.util.ArrayList;
import java.util.List;

/**
 * Who of an endpoint is in its queue, and who waits for a place there. Nobody says when the core
 * lets one in: at the latest when it goes, or when an instant is over.
 */
final class SimQueue {
  private final boolean exempts;
  private Bounds bounds;
  private long maxBlocked;
  private long tickets;
  private long tokens;
  private long bytes;

  /** In the order in which they came. */
  private final List<SimTicket> blocked = new ArrayList<>();

  /**
   * Makes an empty queue.
   *
   * @param exempts whether the bounds mean nothing to who comes back
   */
  SimQueue(Bounds bounds, long maxBlocked, boolean exempts) {
    this.exempts = exempts;
    this.bounds = bounds;
    this.maxBlocked = maxBlocked;
  }

  /** Sets other bounds; who waits stays, even beyond them. */
  void change(Bounds next, long nextMaxBlocked) {
    bounds = next;
    maxBlocked = nextMaxBlocked;
  }

  int blocked() {
    return blocked.size();
  }

  /** Whether there is a place beside those in the queue and some who have just left it. */
  private boolean place(SimTicket ticket, Iterable<SimTicket> alsoThere) {
    long there = tickets + 1;
    long needed = tokens + ticket.cost.totalTokens();
    long held = bytes + ticket.bytes;
    for (SimTicket each : alsoThere) {
      there++;
      needed += each.cost.totalTokens();
      held += each.bytes;
    }
    return there <= bounds.maxTickets()
        && needed <= bounds.maxTokens()
        && held <= bounds.maxBytes();
  }

  /** Whether there would be a place if nobody else waited. */
  boolean fitsAlone(SimTicket ticket) {
    return ticket.cost.totalTokens() <= bounds.maxTokens() && ticket.bytes <= bounds.maxBytes();
  }

  /** It waits, in the queue or for a place there. Returns whether it is in the queue for sure. */
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
      throw new Violation("waits though the queue is full: " + ticket);
    }
    if (!fitsAlone(ticket)) {
      throw new Violation("waits for a place that there will never be: " + ticket);
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

  /** It goes, so that it and all before it must have been let in by now, each to a place. */
  void mustBeIn(SimTicket ticket) {
    while (!blocked.isEmpty() && !ticket.queued && blocked.getFirst().order <= ticket.order) {
      SimTicket first = blocked.removeFirst();
      if (!place(first, List.of())) {
        throw new Violation("%s goes, and there is no place for %s".formatted(ticket, first));
      }
      enter(first);
    }
  }

  /** Whether somebody is let in at this instant, or was already: nobody knows. */
  boolean unsure() {
    return !blocked.isEmpty() && place(blocked.getFirst(), List.of());
  }

  /** The instant is over: everybody for whom there is a place has it. */
  void over() {
    while (!blocked.isEmpty() && place(blocked.getFirst(), List.of())) {
      enter(blocked.removeFirst());
    }
    if (blocked.size() > maxBlocked && blocked.getLast().sinceReload) {
      throw new Violation("more wait for a place than may: " + blocked.getLast());
    }
  }

  /** It no longer waits. */
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

  /** Those who wait for a place were here before the bounds became what they are. */
  void reloaded() {
    blocked.forEach(each -> each.sinceReload = false);
  }

  /** Whether a ticket may be refused for want of a place, some having left only just now. */
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
