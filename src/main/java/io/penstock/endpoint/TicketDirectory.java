package io.penstock.endpoint;

import io.penstock.dispatch.ParkedTicket;
import io.penstock.explain.HeldRequest;
import io.penstock.explain.KeptRefusals;
import io.penstock.explain.RecordBudget;
import io.penstock.queue.Ticket.State;
import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Directory of the waiting tickets of all endpoints, by arrival number; tickets granted at once are
 * never in it. Safe from any thread.
 */
public final class TicketDirectory {
  /** A waiting ticket and its endpoint. */
  public record Waiting(Endpoint endpoint, ParkedTicket ticket) {}

  @SharedState("waiting tickets")
  private final ConcurrentHashMap<Long, Waiting> waiting = new ConcurrentHashMap<>();

  /** Requests that may be held outside of the queues. */
  @SharedState("waiting tickets")
  private final Set<HeldRequest> held = ConcurrentHashMap.newKeySet();

  private final RecordBudget records = new RecordBudget();
  private final KeptRefusals refusals = new KeptRefusals();

  /** Returns the budget of records of past tickets. */
  RecordBudget records() {
    return records;
  }

  /** Returns the refusals of the last hour. */
  KeptRefusals refusals() {
    return refusals;
  }

  /** Returns the requests that may be held outside of the queues; whoever holds one adds it. */
  Set<HeldRequest> held() {
    return held;
  }

  /** Adds a waiting ticket. For the owner of its queue only. */
  void add(Endpoint endpoint, ParkedTicket ticket) {
    ticket.list();
    waiting.put(ticket.order(), new Waiting(endpoint, ticket));
    if (ticket.state() != State.PARKED) {
      remove(ticket); // the thread that decided it may have looked before it was added
    }
  }

  /** Removes a ticket that was decided, if it was ever added. */
  void remove(ParkedTicket ticket) {
    if (ticket.listed()) {
      // A request that waits for another attempt has a new ticket with the number of the old one.
      waiting.computeIfPresent(
          ticket.order(), (number, known) -> known.ticket() == ticket ? null : known);
    }
  }

  /** Returns the waiting ticket with that number, or null. */
  @Nullable
  public Waiting find(long number) {
    return waiting.get(number);
  }

  /**
   * Returns the waiting ticket with that request id, the one with the highest number if there are
   * several; or null.
   */
  @Nullable Waiting find(String requestId) {
    Waiting last = null;
    for (Waiting each : waiting.values()) {
      boolean found = requestId.equals(each.ticket().origin().requestId());
      last = found && (last == null || last.ticket().order() < each.ticket().order()) ? each : last;
    }
    return last;
  }

  /** Returns the waiting tickets of requests that came with a key. */
  List<Waiting> ofKey(String name) {
    return waiting.values().stream()
        .filter(each -> name.equals(each.ticket().origin().key()))
        .toList();
  }

  /** Returns the waiting tickets of the endpoint with exactly that path. */
  List<Waiting> at(String path) {
    return waiting.values().stream().filter(each -> path.equals(each.endpoint().path())).toList();
  }

  /**
   * Returns how many tickets wait at each endpoint, by how long: see {@link TicketOperations#ages}.
   */
  Map<String, List<Integer>> ages(List<Long> below, long now) {
    Map<String, List<Integer>> ages = new HashMap<>();
    for (Waiting each : waiting.values()) {
      List<Integer> counts =
          ages.computeIfAbsent(
              each.endpoint().path(),
              path -> new ArrayList<>(Collections.nCopies(below.size() + 1, 0)));
      long waited = now - each.ticket().arrivedNanos();
      int age = 0;
      while (age < below.size() && waited >= below.get(age)) {
        age++;
      }
      counts.set(age, counts.get(age) + 1);
    }
    return ages;
  }

  public int size() {
    return waiting.size();
  }
}
