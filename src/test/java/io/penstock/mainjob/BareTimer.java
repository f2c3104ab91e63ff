package io.penstock.mainjob;

import io.penstock.event.Event;
import io.penstock.event.EventSink;
import io.penstock.time.Ticker;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Measures how late a plain timer is on this machine, for the delays between releases at the time
 * when they happen: no gateway can be more precise.
 */
final class BareTimer implements EventSink, AutoCloseable {
  private final Ticker ticker;
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final Queue<Long> late = new ConcurrentLinkedQueue<>();
  private volatile long last = -1;

  BareTimer(Ticker ticker) {
    this.ticker = ticker;
  }

  @Override
  public void publish(Event event) {
    if (event instanceof Event.Released released) {
      long delay = released.atNanos() - last;
      boolean first = last < 0;
      last = released.atNanos();
      if (!first && delay > 0) {
        ask(ticker.nanos() + delay, delay);
      }
    }
  }

  private void ask(long due, long delay) {
    var _ = timer.schedule(() -> late.add(ticker.nanos() - due), delay, TimeUnit.NANOSECONDS);
  }

  List<Long> late() {
    return List.copyOf(late);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
