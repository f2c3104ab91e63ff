package io.penstock.endpoint;

import io.penstock.queue.Ticket.State;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Who waits at any endpoint, by arrival number: those who went at once were never here. And how
 * many records of the past all endpoints together keep. Safe from any thread.
 */
final class Roll {
  /** As many records as all endpoints keep, beyond the few that each has for itself. */
  static final int MOST_RECORDS = 4_096;

  private final ConcurrentHashMap<Long, Pending> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger records = new AtomicInteger();

  /** Takes in a ticket that waits. For the owner of its queue only. */
  void add(Pending pending) {
    pending.listed = true;
    waiting.put(pending.order(), pending);
    if (pending.state() != State.PARKED) {
      remove(pending); // whoever decided it meanwhile may have looked before it was here
    }
  }

  /** Takes out a ticket that was decided, if it ever was here. */
  void remove(Pending pending) {
    if (pending.listed) {
      waiting.remove(pending.order(), pending);
    }
  }

  /** Returns the ticket of that number if it waits, else null. */
  @Nullable Pending find(long number) {
    return waiting.get(number);
  }

  /** Returns the ticket that came last, of those that wait, with a request of that id; or null. */
  @Nullable Pending find(String requestId) {
    Pending last = null;
    for (Pending each : waiting.values()) {
      boolean found = requestId.equals(each.origin().requestId());
      last = found && (last == null || last.order() < each.order()) ? each : last;
    }
    return last;
  }

  int size() {
    return waiting.size();
  }

  /** Makes room for one more record; false when there is none. */
  boolean room() {
    int before = records.get();
    while (before < MOST_RECORDS && !records.compareAndSet(before, before + 1)) {
      before = records.get();
    }
    return before < MOST_RECORDS;
  }

  /** Returns the room of so many records. */
  void freed(int many) {
    records.addAndGet(-many);
  }
}
