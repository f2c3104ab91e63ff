package io.penstock.event;

import java.util.concurrent.CopyOnWriteArrayList;

/** Passes each event on to all listeners, in the order in which they subscribed. */
public final class EventBus implements EventSink {
  private final CopyOnWriteArrayList<EventSink> listeners = new CopyOnWriteArrayList<>();

  /** Adds a listener, which is removed by closing the result. */
  public Subscription subscribe(EventSink listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  @Override
  public void publish(Event event) {
    for (EventSink listener : listeners) {
      listener.publish(event);
    }
  }

  /** Ends a subscription. */
  @FunctionalInterface
  public interface Subscription extends AutoCloseable {
    @Override
    void close();
  }
}
