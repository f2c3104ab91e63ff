package io.penstock.event;

/** Where events go. Safe from any thread; must neither block nor throw. */
@FunctionalInterface
public interface Events {
  /** Takes note of an event. */
  void publish(Event event);
}
