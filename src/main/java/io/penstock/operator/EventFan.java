package io.penstock.operator;

import io.penstock.event.Event;
import io.penstock.event.EventBus;
import io.penstock.event.EventRing;
import io.penstock.tenant.SharedState;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/**
 * Distributes events to all readers. Publishers put each event into a single ring, however many
 * readers there are, and nothing is stored while nobody reads. A worker copies the events from
 * there to the readers. Safe from any thread.
 */
final class EventFan {
  /** Number of events that can wait for the worker. */
  static final int INTAKE = 8_192;

  private static final int AT_ONCE = 256;

  private final EventBus events;
  private final Scheduler.Worker worker;
  private final EventRing intake = new EventRing(INTAKE, this::signal);

  @SharedState("readers of events")
  private final Set<EventReader> readers = ConcurrentHashMap.newKeySet();

  @SharedState("readers of events")
  private final AtomicInteger work = new AtomicInteger();

  private EventBus.@Nullable Subscription subscription;

  EventFan(EventBus events, Scheduler.Worker worker) {
    this.events = events;
    this.worker = worker;
  }

  synchronized void add(EventReader reader) {
    readers.add(reader);
    if (subscription == null) {
      subscription = events.subscribe(intake);
    }
  }

  synchronized void remove(EventReader reader) {
    readers.remove(reader);
    if (readers.isEmpty() && subscription != null) {
      subscription.close();
      subscription = null;
    }
  }

  private void signal() {
    if (work.getAndIncrement() == 0) {
      schedule();
    }
  }

  private void schedule() {
    try {
      worker.schedule(this::handOn);
    } catch (RejectedExecutionException stopped) {
      readers.forEach(EventReader::end); // shutdown must not fail the publisher
    }
  }

  /**
   * Hands on a few events at a time: readers send on the same thread, and a large batch would
   * overflow their rings before they get to send.
   */
  private void handOn() {
    int seen = work.get();
    List<Event> next = intake.drain(AT_ONCE);
    handOn(next);
    if (!next.isEmpty() || work.addAndGet(-seen) != 0) {
      schedule();
    }
  }

  private void handOn(List<Event> next) {
    long lost = intake.takeLost();
    for (EventReader reader : readers) {
      if (lost > 0) {
        reader.ring().lose(lost);
      }
      next.forEach(reader.ring()::publish);
    }
  }
}
