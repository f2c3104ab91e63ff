package io.penstock.simulator;

import io.penstock.dispatch.QueuePlace;
import io.penstock.event.Event;
import java.util.HashMap;
import java.util.Map;

/**
 * Compares the waits that the core promises with what then happens. A promise holds only as long as
 * nothing comes from outside; then it is forgotten. One that is a bound is not later than the
 * release, any other is within 10 % or 250 ms of it.
 */
final class SimPromises {
  private static final int MOST_TICKETS = 1_000;
  private static final long TOLERANCE = SimScenario.SECOND / 4;

  private record Promise(String path, long askedAt, long instant, boolean bound) {}

  private final SimWorld world;
  private final EventCounts eventCounts;
  private final Map<Long, Promise> promises = new HashMap<>();

  SimPromises(SimWorld world, EventCounts eventCounts) {
    this.world = world;
    this.eventCounts = eventCounts;
  }

  /** Asks for the expected waits of all tickets of an endpoint; what it asks is answered later. */
  void ask(SimEndpoint endpoint) {
    world
        .registry()
        .tickets()
        .list(endpoint.endpoint, MOST_TICKETS, snapshot -> snapshot.places().forEach(this::note));
  }

  private void note(QueuePlace place) {
    long now = world.now();
    if (place.expected().known()) {
      long instant = now + place.expected().waitNanos();
      promises.putIfAbsent(
          place.ticket().order(),
          new Promise(place.ticket().path(), now, instant, place.expected().bound()));
    } else {
      eventCounts.saw("promised nothing");
    }
  }

  /** Something came from outside: what was promised no longer holds. */
  void forget() {
    promises.clear();
  }

  void heard(Event.TicketEvent event) {
    Promise promise = promises.remove(event.ticket());
    if (event instanceof Event.Expired) {
      // It may give back what it had kept while it waited; only its own endpoint could know.
      promises.values().removeIf(each -> !each.path().equals(event.endpoint()));
    }
    if (promise == null) {
      return;
    }
    switch (event) {
      case Event.Released released -> compare(promise, event.ticket());
      case Event.Expired expired ->
          check(
              promise.bound() || promise.instant() > world.now(),
              "expired",
              promise,
              event.ticket());
      default -> {}
    }
  }

  private void compare(Promise promise, long ticket) {
    long early = promise.instant() - world.now();
    long waited = world.now() - promise.askedAt();
    long tolerance = Math.max(TOLERANCE, waited / 10);
    eventCounts.saw(promise.bound() ? "bound kept" : "promise kept");
    if (promise.bound() && waited > 0) {
      eventCounts.saw(-early <= tolerance ? "bound within a tenth" : "bound below");
    }
    check(early <= tolerance && (promise.bound() || -early <= tolerance), "went", promise, ticket);
  }

  private void check(boolean kept, String what, Promise promise, long ticket) {
    if (!kept) {
      throw new InvariantViolation(
          "%d %s at %d after %s".formatted(ticket, what, world.now(), promise));
    }
  }
}
