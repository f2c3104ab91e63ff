package io.penstock.dispatch;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Blocked tickets: those that wait for a place in the queue, in order of arrival. Only the owner of
 * the queue may use it.
 */
final class QueueOverflow {
  private final Set<ParkedTicket> tickets = new LinkedHashSet<>();
  private final QueueBacklog queueBacklog = new QueueBacklog();

  int tickets() {
    return tickets.size();
  }

  QueueBacklog backlog() {
    return queueBacklog;
  }

  void add(ParkedTicket parkedTicket) {
    tickets.add(parkedTicket);
    parkedTicket.block(true);
    queueBacklog.add(parkedTicket);
  }

  void remove(ParkedTicket parkedTicket) {
    tickets.remove(parkedTicket);
    parkedTicket.block(false);
    queueBacklog.remove(parkedTicket);
  }

  @Nullable ParkedTicket first() {
    return tickets.isEmpty() ? null : tickets.iterator().next();
  }

  void forEach(Consumer<ParkedTicket> visitor) {
    tickets.forEach(visitor);
  }

  Iterator<ParkedTicket> iterator() {
    return tickets.iterator();
  }

  List<ParkedTicket> all() {
    return List.copyOf(tickets);
  }
}
