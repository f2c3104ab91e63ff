package io.penstock.operator;

import io.micrometer.core.instrument.Counter;
import io.penstock.event.EventBus;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.BodyInserters;
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
  /** The most readers at a time. */
  static final int MAX_READERS = 64;

  /** How many events wait for a reader. */
  static final int RING = 1024;

  /** How often a reader hears something, be it nothing. */
  static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final EventBus events;
  private final EventJson json;
  private final Counter dropped;
  private final Scheduler scheduler;
  private final Set<EventReader> reading = ConcurrentHashMap.newKeySet();
  private final AtomicInteger readers = new AtomicInteger();
  private volatile boolean running;

  EventStream(EventBus events, EventJson json, Counter dropped) {
    this(events, json, dropped, Schedulers.newSingle("penstock-events", true));
  }

  EventStream(EventBus events, EventJson json, Counter dropped, Scheduler scheduler) {
    this.events = events;
    this.json = json;
    this.dropped = dropped;
    this.scheduler = scheduler;
  }

  /** Answers with events from now on, until the reader goes. */
  Mono<ServerResponse> open(ServerRequest request) {
    if (!running) {
      return Problem.of(HttpStatus.SERVICE_UNAVAILABLE, "the gateway is stopping").answer();
    }
    if (readers.get() >= MAX_READERS) {
      String detail = "there are " + MAX_READERS + " readers already, as many as there may be";
      return Problem.of(HttpStatus.SERVICE_UNAVAILABLE, detail).answer();
    }
    return ServerResponse.ok()
        .cacheControl(CacheControl.noStore())
        .body(BodyInserters.fromServerSentEvents(events()));
  }

  /** Returns the events from each subscription on. */
  Flux<ServerSentEvent<String>> events() {
    // What is not asked for stays in the ring: nothing is ever pushed into this buffer.
    return Flux.create(this::read, FluxSink.OverflowStrategy.BUFFER);
  }

  /** Counted here, where it is certain to be taken back: an answer may never get as far. */
  private void read(FluxSink<ServerSentEvent<String>> sink) {
    if (readers.incrementAndGet() > MAX_READERS || !running) {
      readers.decrementAndGet();
      sink.complete();
      return;
    }
    EventReader reader = new EventReader(sink, RING, json, dropped, scheduler.createWorker());
    reading.add(reader);
    EventBus.Subscription subscription = events.subscribe(reader.ring());
    reader.start(HEARTBEAT);
    // Headers go with the first bytes, and whoever reads wants to know that it does.
    sink.next(EventReader.comment("events from now on"));
    sink.onRequest(more -> reader.signal());
    sink.onDispose(
        () -> {
          subscription.close();
          reader.gone();
          reading.remove(reader);
          readers.decrementAndGet();
        });
    if (!running) {
      reader.end(); // stopped meanwhile
    }
  }

  /** Returns how many read. */
  int readers() {
    return readers.get();
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    reading.forEach(EventReader::end);
    scheduler.dispose();
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
