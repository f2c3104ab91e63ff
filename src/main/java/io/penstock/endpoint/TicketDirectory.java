package io.penstock.endpoint;

import io.penstock.queue.Ticket.State;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Directory of the waiting tickets of all endpoints, by arrival number; tickets granted at once are
 * never in it. It also limits the number of records that all endpoints together keep of past
 * tickets. Safe from any thread.
 */
final class TicketDirectory {
  /** Most records that all endpoints together keep, beyond the few that each may always keep. */
  static final int MOST_RECORDS = 4_096;

  private final ConcurrentHashMap<Long, ParkedTicket> waiting = new ConcurrentHashMap<>();
  private final AtomicInteger records = new AtomicInteger();

  /** Adds a waiting ticket. For the owner of its queue only. */
  void add(ParkedTicket parkedTicket) {
    parkedTicket.listed = true;
    waiting.put(parkedTicket.order(), parkedTicket);
    if (parkedTicket.state() != State.PARKED) {
      remove(parkedTicket); // the thread that decided it may have looked before it was added
    }
  }

  /** Removes a ticket that was decided, if it was ever added. */
  void remove(ParkedTicket parkedTicket) {
    if (parkedTicket.listed) {
      waiting.remove(parkedTicket.order(), parkedTicket);
    }
  }

  /** Returns the waiting ticket with that number, or null. */
  @Nullable ParkedTicket find(long number) {
    return waiting.get(number);
  }

  /**
   * Returns the waiting ticket with that request id, the one with the highest number if there are
   * several; or null.
   */
  @Nullable ParkedTicket find(String requestId) {
    ParkedTicket last = null;
    for (ParkedTicket each : waiting.values()) {
      boolean found = requestId.equals(each.origin().requestId());
      last = found && (last == null || last.order() < each.order()) ? each : last;
    }
    return last;
  }

  /**
   * Returns how many tickets wait at each endpoint, by how long: see {@link TicketOperations#ages}.
   */
  Map<String, List<Integer>> ages(List<Long> below, long now) {
    Map<String, List<Integer>> ages = new HashMap<>();
    for (ParkedTicket each : waiting.values()) {
      List<Integer> counts =
          ages.computeIfAbsent(
              each.endpoint().path(),
              path -> new ArrayList<>(Collections.nCopies(below.size() + 1, 0)));
      long waited = now - each.arrivedNanos();
      int age = 0;
      while (age < below.size() && waited >= below.get(age)) {
        age++;
      }
      counts.set(age, counts.get(age) + 1);
    }
    return ages;
  }

  int size() {
    return waiting.size();
  }

  /** Reserves room for one more record; returns false when there is none. */
  boolean room() {
    int before = records.get();
    while (before < MOST_RECORDS && !records.compareAndSet(before, before + 1)) {
      before = records.get();
    }
    return before < MOST_RECORDS;
  }

  /** Gives back the room of {@code many} records. */
  void freed(int many) {
    records.addAndGet(-many);
  }
}
