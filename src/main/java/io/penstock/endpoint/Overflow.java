package io.penstock.endpoint;

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
final class Overflow {
  private final Set<Pending> tickets = new LinkedHashSet<>();
  private final Backlog backlog = new Backlog();

  int tickets() {
    return tickets.size();
  }

  Backlog backlog() {
    return backlog;
  }

  void add(Pending pending) {
    tickets.add(pending);
    pending.blocked = true;
    backlog.add(pending);
  }

  void remove(Pending pending) {
    tickets.remove(pending);
    pending.blocked = false;
    backlog.remove(pending);
  }

  @Nullable Pending first() {
    return tickets.isEmpty() ? null : tickets.iterator().next();
  }

  void forEach(Consumer<Pending> visitor) {
    tickets.forEach(visitor);
  }

  Iterator<Pending> iterator() {
    return tickets.iterator();
  }

  List<Pending> all() {
    return List.copyOf(tickets);
  }
}
