package io.penstock.event;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Events for one slow reader: bounded, and what does not fit is lost and counted. Safe for many
 * writers and one reader.
 */
public final class EventRing implements Events {
  private final ArrayBlockingQueue<Event> waiting;
  private final AtomicLong lost = new AtomicLong();
  private final Runnable arrived;

  /**
   * Makes a ring.
   *
   * @param capacity how many events wait at the most, ≥ 1
   * @param arrived called after each event that fits, on the writer's thread
   */
  public EventRing(int capacity, Runnable arrived) {
    this.waiting = new ArrayBlockingQueue<>(capacity);
    this.arrived = arrived;
  }

  @Override
  public void publish(Event event) {
    if (waiting.offer(event)) {
      arrived.run();
    } else {
      lost.incrementAndGet();
    }
  }

  /** Counts events as lost that never came here. */
  public void lose(long events) {
    lost.addAndGet(events);
  }

  /** Takes up to {@code most} events that wait. */
  public List<Event> drain(int most) {
    List<Event> events = new ArrayList<>();
    waiting.drainTo(events, most);
    return events;
  }

  /** Returns how many were lost since this was asked last. */
  public long takeLost() {
    return lost.getAndSet(0);
  }
}
