package io.penstock.operator;

import io.micrometer.core.instrument.Counter;
import io.penstock.event.EventBus;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Events as they happen, for a bounded number of readers (server-sent events). Ends them all before
 * the server stops, which would wait for them otherwise.
 */
final class EventStream implements SmartLifecycle {
  /** How many events wait for a reader. */
  static final int RING = 1024;

  /** How often a reader hears something, be it nothing. */
  static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final EventFan fan;
  private final EventJson json;
  private final Counter dropped;
  private final Scheduler scheduler;
  private final Set<EventReader> reading = ConcurrentHashMap.newKeySet();
  private final Readers readers = new Readers();

  EventStream(EventBus events, EventJson json, Counter dropped) {
    this(events, json, dropped, Schedulers.newSingle("penstock-events", true));
  }

  EventStream(EventBus events, EventJson json, Counter dropped, Scheduler scheduler) {
    this.fan = new EventFan(events, scheduler.createWorker());
    this.json = json;
    this.dropped = dropped;
    this.scheduler = scheduler;
  }

  /** Answers with events from now on, until the reader goes. */
  Mono<ServerResponse> open(ServerRequest request) {
    return readers.answer(this::events);
  }

  /** Returns the events from each subscription on. */
  Flux<ServerSentEvent<String>> events() {
    // What is not asked for stays in the ring: nothing is ever pushed into this buffer.
    return Flux.create(this::read, FluxSink.OverflowStrategy.BUFFER);
  }

  private void read(FluxSink<ServerSentEvent<String>> sink) {
    if (!readers.enter()) {
      sink.complete();
      return;
    }
    EventReader reader = new EventReader(sink, RING, json, dropped, scheduler.createWorker());
    reading.add(reader);
    fan.add(reader);
    reader.start(HEARTBEAT);
    // Headers go with the first bytes, and whoever reads wants to know that it does.
    sink.next(EventReader.comment("events from now on"));
    sink.onRequest(more -> reader.signal());
    sink.onDispose(
        () -> {
          fan.remove(reader);
          reader.gone();
          reading.remove(reader);
          readers.leave();
        });
    if (!readers.isOpen()) {
      reader.end(); // stopped meanwhile
    }
  }

  /** Returns how many read. */
  int readers() {
    return readers.count();
  }

  @Override
  public void start() {
    readers.open();
  }

  @Override
  public void stop() {
    readers.close();
    reading.forEach(EventReader::end);
    scheduler.dispose();
  }

  @Override
  public boolean isRunning() {
    return readers.isOpen();
  }
}
