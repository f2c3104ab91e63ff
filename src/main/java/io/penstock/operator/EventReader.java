package io.penstock.operator;

import io.micrometer.core.instrument.Counter;
import io.penstock.event.Event;
import io.penstock.event.EventRing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.http.codec.ServerSentEvent;
import reactor.core.publisher.FluxSink;
import reactor.core.scheduler.Scheduler;

/**
 * Reader of the event stream, as fast as its network connection takes the events. Faster events
 * wait in a ring. Events that do not fit there are dropped, and the reader is sent their number. A
 * reader of lines is sent only the events that have a text, with their text.
 *
 * <p>All work happens on one worker.
 */
final class EventReader {
  private final FluxSink<ServerSentEvent<String>> sink;
  private final EventRing ring;
  private final EventJson json;
  private final boolean lines;
  private final Counter dropped;
  private final Scheduler.Worker worker;
  private final AtomicInteger work = new AtomicInteger();
  private long untold;

  EventReader(
      FluxSink<ServerSentEvent<String>> sink,
      int capacity,
      EventJson json,
      boolean lines,
      Counter dropped,
      Scheduler.Worker worker) {
    this.sink = sink;
    this.ring = new EventRing(capacity, this::signal);
    this.json = json;
    this.lines = lines;
    this.dropped = dropped;
    this.worker = worker;
  }

  EventRing ring() {
    return ring;
  }

  /** Schedules the worker to send as much as it can. */
  void signal() {
    if (work.getAndIncrement() == 0) {
      try {
        worker.schedule(this::send);
      } catch (RejectedExecutionException stopped) {
        sink.complete(); // shutdown must not fail the publisher
      }
    }
  }

  /** Starts sending comments at a fixed interval. */
  void start(Duration heartbeat) {
    long nanos = heartbeat.toNanos();
    worker.schedulePeriodically(this::beat, nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private void send() {
    int seen = work.get();
    do {
      sendWhatFits();
      seen = work.addAndGet(-seen);
    } while (seen != 0);
  }

  private void sendWhatFits() {
    while (sink.requestedFromDownstream() > 0 && !sink.isCancelled()) {
      countLost();
      if (untold > 0) {
        sink.next(event("lost", EventJson.lost(untold, lines)));
        untold = 0;
        continue;
      }
      List<Event> next = ring.drain(1);
      if (next.isEmpty()) {
        return;
      }
      Event event = next.getFirst();
      EventText text = lines ? EventText.of(event) : null;
      if (text != null || !lines) {
        sink.next(event(EventJson.name(event), json.data(event, text)));
      }
    }
  }

  private void countLost() {
    long lost = ring.takeLost();
    if (lost > 0) {
      untold += lost;
      dropped.increment((double) lost);
    }
  }

  /** Sends a comment, which clients ignore, so that a closed connection is noticed. */
  private void beat() {
    countLost();
    if (sink.requestedFromDownstream() > 0) {
      sink.next(comment("still here"));
    }
  }

  /** Ends the stream; nothing is sent any more. */
  void end() {
    sink.complete();
  }

  /** Cleans up after the reader has left, and counts the events it has missed. */
  void gone() {
    worker.dispose();
    dropped.increment((double) ring.takeLost());
  }

  static ServerSentEvent<String> comment(String text) {
    return ServerSentEvent.<String>builder().comment(text).build();
  }

  private static ServerSentEvent<String> event(String name, String data) {
    return ServerSentEvent.builder(data).event(name).build();
  }
}
