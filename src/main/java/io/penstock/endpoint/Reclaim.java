package io.penstock.endpoint;

import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which endpoints are to be looked at when, because they may not be needed any more by then. One
 * alarm at the earliest instant; nothing runs in between. Belongs to one thread at a time.
 */
final class Reclaim {
  private record Look(long atNanos, Endpoint endpoint) {}

  private final Driver.Source drivers;
  private final Runnable ring;
  private final PriorityQueue<Look> looks =
      new PriorityQueue<>(Comparator.comparingLong(Look::atNanos));
  private @Nullable Driver driver;
  private long alarm = Ticker.NEVER;

  /**
   * Makes one with nothing to look at.
   *
   * @param ring called when there is
   */
  Reclaim(Driver.Source drivers, Runnable ring) {
    this.drivers = drivers;
    this.ring = ring;
  }

  /** Has an endpoint looked at, at an instant. */
  void lookAt(Endpoint endpoint, long atNanos) {
    looks.add(new Look(atNanos, endpoint));
  }

  /** Returns an endpoint that is to be looked at by now, or null; each once. */
  @Nullable Endpoint next(long now) {
    Look first = looks.peek();
    if (first == null || first.atNanos() > now) {
      return null;
    }
    looks.remove();
    return first.endpoint();
  }

  /** Forgets those who need not be looked at. */
  void forget(Predicate<Endpoint> which) {
    looks.removeIf(look -> which.test(look.endpoint()));
  }

  /** Says that the alarm rang. */
  void rang() {
    alarm = Ticker.NEVER;
  }

  /** Has the alarm ring for the earliest look; called after any change. */
  void arm() {
    Look first = looks.peek();
    long next = first == null ? Ticker.NEVER : first.atNanos();
    if (next != alarm) {
      alarm = next;
      driver().at(next, ring);
    }
  }

  private Driver driver() {
    Driver made = driver;
    if (made == null) {
      made = drivers.driver(Algorithm.NONE);
      driver = made;
    }
    return made;
  }
}
