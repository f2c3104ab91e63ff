package io.penstock.mainjob;

import io.penstock.cost.Cost;
import io.penstock.cost.CostDimension;
import io.penstock.event.Event;
import io.penstock.event.EventSink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.ToLongFunction;

/**
 * Records what the gateway reports to have done, in the order of its reports. Listening is safe
 * from any thread.
 */
final class JobReleases implements EventSink {
  /** An event and the jitter that was known of its upstream then. */
  record Noted(Event event, long jitterNanos) {}

  /**
   * Time during which at least a certain amount was queued; empty when {@code from} is after {@code
   * to}.
   */
  record Stretch(long fromNanos, long toNanos) {}

  /**
   * Findings about the order of releases.
   *
   * @param passed how often a ticket was passed by later ones in all
   * @param mostPassed the most often any one ticket was
   * @param unfair one line for each later ticket that went first without being smaller
   */
  record Order(long passed, long mostPassed, List<String> unfair) {}

  private final String endpoint;
  private final ToLongFunction<Event.Released> jitter;
  private final Queue<Noted> noted = new ConcurrentLinkedQueue<>();

  JobReleases(String endpoint, ToLongFunction<Event.Released> jitter) {
    this.endpoint = endpoint;
    this.jitter = jitter;
  }

  @Override
  public void publish(Event event) {
    if (event instanceof Event.TicketEvent ticket && ticket.endpoint().equals(endpoint)) {
      long now = event instanceof Event.Released released ? jitter.applyAsLong(released) : 0;
      noted.add(new Noted(event, now));
    }
  }

  List<Noted> all() {
    return List.copyOf(noted);
  }

  <T extends Event> List<T> of(Class<T> type) {
    return noted.stream().map(Noted::event).filter(type::isInstance).map(type::cast).toList();
  }

  /** Reads the order of releases from the log; {@code size} is the dimension that limits weigh. */
  Order order(CostDimension size) {
    TreeMap<Long, Cost> waiting = new TreeMap<>();
    Map<Long, Long> passes = new HashMap<>();
    List<String> unfair = new ArrayList<>();
    for (Noted each : noted) {
      if (each.event() instanceof Event.Queued queued) {
        waiting.put(queued.ticket(), queued.cost());
      } else if (each.event() instanceof Event.Released released) {
        waiting.remove(released.ticket());
        long own = size.of(released.cost());
        waiting
            .headMap(released.ticket())
            .forEach(
                (earlier, cost) -> {
                  passes.merge(earlier, 1L, Long::sum);
                  if (own >= size.of(cost)) {
                    unfair.add(
                        "ticket %d of %d went before ticket %d of %d"
                            .formatted(released.ticket(), own, earlier, size.of(cost)));
                  }
                });
      }
    }
    long passed = passes.values().stream().mapToLong(Long::longValue).sum();
    long most = passes.values().stream().mapToLong(Long::longValue).max().orElse(0);
    return new Order(passed, most, unfair);
  }

  /** Returns the longest time throughout which at least {@code amount} was queued. */
  Stretch queued(CostDimension size, long amount) {
    Map<Long, Long> waiting = new HashMap<>();
    Stretch longest = new Stretch(0, -1);
    long sum = 0;
    long since = -1;
    for (Noted each : noted) {
      if (each.event() instanceof Event.Queued queued) {
        long own = size.of(queued.cost());
        waiting.put(queued.ticket(), own);
        sum += own;
      } else if (each.event() instanceof Event.Released released) {
        Long own = waiting.remove(released.ticket());
        sum -= own == null ? 0 : own;
      }
      long at = each.event().atNanos();
      if (sum >= amount) {
        since = since < 0 ? at : since;
      } else if (since >= 0) {
        longest = longer(longest, new Stretch(since, at));
        since = -1;
      }
    }
    return longest;
  }

  private static Stretch longer(Stretch one, Stretch other) {
    long length = one.toNanos() - one.fromNanos();
    return other.toNanos() - other.fromNanos() > length ? other : one;
  }
}
