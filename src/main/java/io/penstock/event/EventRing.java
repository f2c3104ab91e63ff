package io.penstock.event;

import io.penstock.tenant.SharedState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounded buffer of events for one slow reader: events that do not fit are lost and counted. Safe
 * for many writers and one reader.
 */
public final class EventRing implements EventSink {
  @SharedState("readers of events")
  private final ArrayBlockingQueue<Event> waiting;

  @SharedState("readers of events")
  private final AtomicLong lost = new AtomicLong();

  private final Runnable arrived;

  /**
   * Creates an empty buffer.
   *
   * @param capacity the most events that wait, ≥ 1
   * @param arrived called on the writer's thread after each event that fits, and after the first
   *     that is lost since {@link #takeLost}: the reader may have taken all others by then
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
      lose(1);
    }
  }

  /** Adds to the number of lost events some that never came here. */
  public void lose(long events) {
    if (lost.getAndAdd(events) == 0) {
      arrived.run();
    }
  }

  /** Removes and returns up to {@code most} events. */
  public List<Event> drain(int most) {
    List<Event> events = new ArrayList<>();
    waiting.drainTo(events, most);
    return events;
  }

  /** Returns how many events were lost since the last call. */
  public long takeLost() {
    return lost.getAndSet(0);
  }
}
