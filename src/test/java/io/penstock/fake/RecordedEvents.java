package io.penstock.fake;

import io.penstock.event.Event;
import io.penstock.event.EventSink;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records all events. */
public final class RecordedEvents implements EventSink {
  private final List<Event> events = new CopyOnWriteArrayList<>();

  @Override
  public void publish(Event event) {
    events.add(event);
  }

  /** Returns all events of one kind, in the order they came. */
  public <T extends Event> List<T> of(Class<T> kind) {
    return events.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Returns all events, in the order they came. */
  public List<Event> all() {
    return List.copyOf(events);
  }
}
