package io.penstock.redis.coordination;

import io.penstock.coordination.ObjectKind;
import io.penstock.coordination.TimedTasks;
import io.penstock.time.Ticker;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Waiting turns of this instance by object, with the time at which time alone changes something
 * there. All instances with waiting turns look at the object then, and the first one to do so
 * serves the turns of all. Used by one thread at a time.
 */
final class WaitingTurns {
  /** An object, and the turns that wait there. */
  private static final class Place {
    private final ObjectKind objectKind;
    private final Map<Long, PendingCall> visits = new LinkedHashMap<>();
    private TimedTasks.@Nullable Entry alarm;

    /** Redis time of the latest news about the next change. */
    private long asOfMicros;

    /** Number of turns that may wait here once they are answered. */
    private long asking;

    Place(ObjectKind objectKind) {
      this.objectKind = objectKind;
    }
  }

  private final Map<String, Place> places = new HashMap<>();
  private final TimedTasks timedTasks;
  private final StoreClock clock;
  private final BiConsumer<String, ObjectKind> due;
  private long waiting;

  /**
   * Creates an object without turns.
   *
   * @param due receives an object at which time may have changed something
   */
  WaitingTurns(TimedTasks timedTasks, StoreClock clock, BiConsumer<String, ObjectKind> due) {
    this.timedTasks = timedTasks;
    this.clock = clock;
    this.due = due;
  }

  private Place place(PendingCall pendingCall) {
    return places.computeIfAbsent(pendingCall.key, key -> new Place(pendingCall.kind()));
  }

  /** Records that a turn is asking to wait; news about its object may concern it from now on. */
  void noteAsking(PendingCall pendingCall) {
    place(pendingCall).asking++;
  }

  /** Records that the turn was answered and the answer was applied. */
  void asked(PendingCall pendingCall) {
    Place place = place(pendingCall);
    place.asking--;
    cleared(pendingCall.key, place);
  }

  void add(PendingCall pendingCall) {
    place(pendingCall).visits.put(pendingCall.number, pendingCall);
    waiting++;
  }

  void remove(PendingCall pendingCall) {
    Place place = places.get(pendingCall.key);
    if (place != null && place.visits.remove(pendingCall.number) != null) {
      waiting--;
      cleared(pendingCall.key, place);
    }
  }

  private void cleared(String key, Place place) {
    if (place.visits.isEmpty() && place.asking == 0) {
      timedTasks.strike(place.alarm);
      places.remove(key);
    }
  }

  /** Returns the number of waiting turns. */
  long waiting() {
    return waiting;
  }

  /** Returns the waiting turns by object, without objects that have none. */
  Collection<List<PendingCall>> byObject() {
    return places.values().stream()
        .map(place -> List.copyOf(place.visits.values()))
        .filter(visits -> !visits.isEmpty())
        .toList();
  }

  /**
   * Takes in the next time at which time alone changes an object. Answers and publications come
   * over different connections. Outdated news may cause one useless look, but never delays one.
   *
   * @param asOfMicros time of the news, by the clock of Redis
   */
  void next(String key, long asOfMicros, long storeMicros, long nowNanos) {
    Place place = places.get(key);
    if (place == null) {
      return;
    }
    long at =
        storeMicros == ObjectScript.NEVER ? Ticker.NEVER : clock.localNanos(storeMicros, nowNanos);
    TimedTasks.Entry known = place.alarm;
    boolean overtaken = asOfMicros < place.asOfMicros;
    place.asOfMicros = Math.max(asOfMicros, place.asOfMicros);
    at(key, overtaken && known != null ? Math.min(at, known.atNanos()) : at);
  }

  /** Schedules a look at an object, by the local clock. */
  void at(String key, long atNanos) {
    Place place = places.get(key);
    if (place == null) {
      return;
    }
    TimedTasks.Entry before = place.alarm;
    if (before != null && before.atNanos() == atNanos) {
      return;
    }
    timedTasks.strike(before);
    place.alarm = timedTasks.note(atNanos, false, now -> ring(key, place));
  }

  private void ring(String key, Place place) {
    place.alarm = null;
    due.accept(key, place.objectKind);
  }
}
