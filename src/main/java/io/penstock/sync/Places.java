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
 * The turns of this instance that wait, by object, and when time alone does something there: all
 * instances that wait look then, and the first serves them all. One thread at a time.
 */
final class Places {
  /** An object, and those who wait there. */
  private static final class Place {
    private final Kind kind;
    private final Map<Long, Visit> visits = new LinkedHashMap<>();
    private Agenda.@Nullable Entry alarm;

    /** As of when it is known when time does something here. */
    private long asOfMicros;

    /** How many may wait here once they are answered. */
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
   * Makes one where nobody waits.
   *
   * @param due told of an object at which time may have done something
   */
  Places(Agenda agenda, StoreClock clock, BiConsumer<String, Kind> due) {
    this.agenda = agenda;
    this.clock = clock;
    this.due = due;
  }

  private Place place(Visit visit) {
    return places.computeIfAbsent(visit.key, key -> new Place(visit.kind()));
  }

  /** One asks for a place: what is told of the object from now on may be news to it. */
  void asks(Visit visit) {
    place(visit).asking++;
  }

  /** That was answered, and what was answered is taken in. */
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

  /** Returns how many wait. */
  long waiting() {
    return waiting;
  }

  /** Returns those who wait, by object, and no object where none does. */
  Collection<List<Visit>> byObject() {
    return places.values().stream()
        .map(place -> List.copyOf(place.visits.values()))
        .filter(visits -> !visits.isEmpty())
        .toList();
  }

  /**
   * Takes in when time does something at an object next. Answers and publications come by different
   * connections: what was overtaken brings nothing forward, but may be looked at once in vain.
   *
   * @param asOfMicros when that was so, by the clock of Redis
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

  /** Has an object be looked at, at an instant of the own clock. */
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
