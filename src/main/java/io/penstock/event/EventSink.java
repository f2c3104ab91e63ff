package io.penstock.event;

/** Receiver of events. Safe from any thread; must neither block nor throw. */
@FunctionalInterface
public interface EventSink {
  /** Receives an event. */
  void publish(Event event);
}
