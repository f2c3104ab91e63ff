package io.penstock.simulator;

import io.penstock.queue.QueueBounds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * The tickets of an endpoint that are in its queue, and those that wait for a place there. The core
 * does not announce when it gives a place; it is known at the latest when the ticket goes, or when
 * an instant is over.
 */
final class SimQueue {
  private final boolean exempts;
  private QueueBounds queueBounds;
  private long maxBlocked;
  private final boolean tenants;
  private boolean fair;
  private long tickets;
  private long tokens;
  private long bytes;

  /** The tickets in the queue. */
  private final Set<SimTicket> inside = new LinkedHashSet<>();

  /** In order of arrival. */
  private final List<SimTicket> blocked = new ArrayList<>();

  /**
   * Creates an empty queue.
   *
   * @param fair whether its places are shared by flow
   * @param tenants whether its places are shared by tenant
   * @param exempts whether the bounds do not apply to tickets that come back
   */
  SimQueue(
      QueueBounds queueBounds, long maxBlocked, boolean fair, boolean tenants, boolean exempts) {
    this.exempts = exempts;
    this.fair = fair;
    this.tenants = tenants;
    this.queueBounds = queueBounds;
    this.maxBlocked = maxBlocked;
  }

  /** Sets other bounds; waiting tickets stay, even beyond them. */
  void change(QueueBounds next, long nextMaxBlocked, boolean nextFair) {
    queueBounds = next;
    maxBlocked = nextMaxBlocked;
    fair = nextFair;
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

  /**
   * Returns whether the flow or the tenant of a ticket would have more than three times of what is
   * free, if some that have just left were still there.
   *
   * @param active whether a tenant of whom nothing waits may be active
   */
  private boolean crowded(SimTicket ticket, List<SimTicket> alsoThere, boolean active) {
    List<SimTicket> there = new ArrayList<>(inside);
    there.addAll(blocked);
    there.addAll(alsoThere);
    boolean shared = active || there.stream().anyMatch(each -> !sameTenant(each, ticket));
    return (fair && crowded(ticket, there, SimQueue::sameFlow))
        || (tenants && shared && crowded(ticket, there, SimQueue::sameTenant));
  }

  private boolean crowded(
      SimTicket ticket, List<SimTicket> there, BiPredicate<SimTicket, SimTicket> same) {
    long[] all = new long[3];
    long[] own = new long[3];
    there.forEach(each -> count(each, all));
    there.stream().filter(each -> same.test(each, ticket)).forEach(each -> count(each, own));
    count(ticket, own);
    return over(own[0], queueBounds.maxTickets() + maxBlocked - all[0])
        || (maxBlocked == 0
            && (over(own[1], queueBounds.maxTokens() - all[1])
                || over(own[2], queueBounds.maxBytes() - all[2])));
  }

  private static void count(SimTicket ticket, long[] sums) {
    sums[0]++;
    sums[1] += ticket.cost.totalTokens();
    sums[2] += ticket.bytes;
  }

  private static boolean sameFlow(SimTicket one, SimTicket other) {
    return one.ask.flow().name().equals(other.ask.flow().name());
  }

  private static boolean sameTenant(SimTicket one, SimTicket other) {
    return one.ask.sender().tenant().equals(other.ask.sender().tenant());
  }

  private static boolean over(long own, long free) {
    return free < 0 || (free < own && own > 3 * free);
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
    if (crowded(ticket, List.of(), false)) {
      throw new InvariantViolation("waits though its flow or tenant has its share: " + ticket);
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
    inside.add(ticket);
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
      inside.remove(ticket);
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
    if (!fitsAlone(arrived) || crowded(arrived, justLeft, true)) {
      return true;
    }
    long others = justLeft.stream().filter(each -> each.wasBlocked).count();
    if (maxBlocked > 0 || !blocked.isEmpty()) {
      return blocked.size() + others >= maxBlocked;
    }
    return !place(arrived, justLeft);
  }
}
