package io.penstock.endpoint;

import io.penstock.dispatch.AlarmSource;
import io.penstock.dispatch.LimitAlgorithm;
import io.penstock.tenant.SharedState;
import io.penstock.time.StepAlarm;
import io.penstock.time.Ticker;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Schedule of the instants at which to check whether an endpoint can be reclaimed. It sets one
 * alarm, for the earliest instant; nothing runs in between. Used by one thread at a time.
 */
final class EndpointReclaim {
  private record Look(long atNanos, Endpoint endpoint) {}

  private final AlarmSource alarms;
  private final Runnable ring;

  @SharedState("dynamic endpoints")
  private final PriorityQueue<Look> looks =
      new PriorityQueue<>(Comparator.comparingLong(Look::atNanos));

  private @Nullable StepAlarm stepAlarm;
  private long alarm = Ticker.NEVER;

  /**
   * Creates an empty schedule.
   *
   * @param ring called when a check is due
   */
  EndpointReclaim(AlarmSource alarms, Runnable ring) {
    this.alarms = alarms;
    this.ring = ring;
  }

  /** Schedules a check of an endpoint. */
  void lookAt(Endpoint endpoint, long atNanos) {
    looks.add(new Look(atNanos, endpoint));
  }

  /** Removes and returns an endpoint with a check due by now, or null when there is none. */
  @Nullable Endpoint next(long now) {
    Look first = looks.peek();
    if (first == null || first.atNanos() > now) {
      return null;
    }
    looks.remove();
    return first.endpoint();
  }

  /** Removes all checks of matching endpoints. */
  void forget(Predicate<Endpoint> which) {
    looks.removeIf(look -> which.test(look.endpoint()));
  }

  /** Notes that the alarm rang. */
  void rang() {
    alarm = Ticker.NEVER;
  }

  /** Sets the alarm to the earliest check; to be called after any change. */
  void arm() {
    Look first = looks.peek();
    long next = first == null ? Ticker.NEVER : first.atNanos();
    if (next != alarm) {
      alarm = next;
      stepAlarm().at(next, ring);
    }
  }

  private StepAlarm stepAlarm() {
    StepAlarm made = stepAlarm;
    if (made == null) {
      made = alarms.alarm(LimitAlgorithm.NONE);
      stepAlarm = made;
    }
    return made;
  }
}
