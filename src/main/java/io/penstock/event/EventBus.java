package io.penstock.event;

import java.util.concurrent.CopyOnWriteArrayList;

/** Passes each event on to all listeners, in the order in which they subscribed. */
public final class EventBus implements Events {
  private final CopyOnWriteArrayList<Events> listeners = new CopyOnWriteArrayList<>();

  /** Adds a listener, which is removed by closing the result. */
  public Subscription subscribe(Events listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  @Override
  public void publish(Event event) {
    for (Events listener : listeners) {
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
