package io.penstock.sync;

import io.penstock.coordination.Agenda;
import io.penstock.coordination.Kind;
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
final class Places {
  /** An object, and the turns that wait there. */
  private static final class Place {
    private final Kind kind;
    private final Map<Long, Visit> visits = new LinkedHashMap<>();
    private Agenda.@Nullable Entry alarm;

    /** Redis time of the latest news about the next change. */
    private long asOfMicros;

    /** Number of turns that may wait here once they are answered. */
    private long asking;

    Place(Kind kind) {
      this.kind = kind;
    }
  }

  private final Map<String, Place> places = new HashMap<>();
  private final Agenda agenda;
  private final StoreClock clock;
  private final BiConsumer<String, Kind> due;
  private long waiting;

  /**
   * Creates an object without turns.
   *
   * @param due receives an object at which time may have changed something
   */
  Places(Agenda agenda, StoreClock clock, BiConsumer<String, Kind> due) {
    this.agenda = agenda;
    this.clock = clock;
    this.due = due;
  }

  private Place place(Visit visit) {
    return places.computeIfAbsent(visit.key, key -> new Place(visit.kind()));
  }

  /** Records that a turn is asking to wait; news about its object may concern it from now on. */
  void asks(Visit visit) {
    place(visit).asking++;
  }

  /** Records that the turn was answered and the answer was applied. */
  void asked(Visit visit) {
    Place place = place(visit);
    place.asking--;
    cleared(visit.key, place);
  }

  void add(Visit visit) {
    place(visit).visits.put(visit.number, visit);
    waiting++;
  }

  void remove(Visit visit) {
    Place place = places.get(visit.key);
    if (place != null && place.visits.remove(visit.number) != null) {
      waiting--;
      cleared(visit.key, place);
    }
  }

  private void cleared(String key, Place place) {
    if (place.visits.isEmpty() && place.asking == 0) {
      agenda.strike(place.alarm);
      places.remove(key);
    }
  }

  /** Returns the number of waiting turns. */
  long waiting() {
    return waiting;
  }

  /** Returns the waiting turns by object, without objects that have none. */
  Collection<List<Visit>> byObject() {
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
    Agenda.Entry known = place.alarm;
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
    Agenda.Entry before = place.alarm;
    if (before != null && before.atNanos() == atNanos) {
      return;
    }
    agenda.strike(before);
    place.alarm = agenda.note(atNanos, false, now -> ring(key, place));
  }

  private void ring(String key, Place place) {
    place.alarm = null;
    due.accept(key, place.kind);
  }
}
