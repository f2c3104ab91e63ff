package io.penstock.operator;

import io.micrometer.core.instrument.Counter;
import io.penstock.event.EventBus;
import io.penstock.tenant.SharedState;
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
 * Streams events as they happen to a bounded number of readers (server-sent events). On shutdown it
 * ends all streams before the server stops, because the server would wait for them.
 */
final class EventStream implements SmartLifecycle {
  /** Number of events that can wait for one reader. */
  static final int RING = 1024;

  /** Interval at which a reader is sent at least a comment. */
  static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final EventFan fan;
  private final EventJson json;
  private final Counter dropped;
  private final Scheduler scheduler;

  @SharedState("readers of events")
  private final Set<EventReader> reading = ConcurrentHashMap.newKeySet();

  private final StreamReaders streamReaders = new StreamReaders();

  EventStream(EventBus events, EventJson json, Counter dropped) {
    this(events, json, dropped, Schedulers.newSingle("penstock-events", true));
  }

  EventStream(EventBus events, EventJson json, Counter dropped, Scheduler scheduler) {
    this.fan = new EventFan(events, scheduler.createWorker());
    this.json = json;
    this.dropped = dropped;
    this.scheduler = scheduler;
  }

  /**
   * Answers with events from now on, until the reader disconnects; with {@code ?lines} those for
   * people, each with its text.
   */
  Mono<ServerResponse> open(ServerRequest request) {
    return streamReaders.answer(() -> events(request.queryParam("lines").isPresent()));
  }

  /** Returns the events, starting anew with each subscription. */
  Flux<ServerSentEvent<String>> events(boolean lines) {
    // Events without demand stay in the ring, so this buffer is never filled beyond the demand.
    return Flux.create(sink -> read(sink, lines), FluxSink.OverflowStrategy.BUFFER);
  }

  private void read(FluxSink<ServerSentEvent<String>> sink, boolean lines) {
    if (!streamReaders.enter()) {
      sink.complete();
      return;
    }
    EventReader reader =
        new EventReader(sink, RING, json, lines, dropped, scheduler.createWorker());
    reading.add(reader);
    fan.add(reader);
    reader.start(HEARTBEAT);
    // Headers are sent with the first bytes, so this comment tells the reader at once that the
    // stream is open.
    sink.next(EventReader.comment("events from now on"));
    sink.onRequest(more -> reader.signal());
    sink.onDispose(
        () -> {
          fan.remove(reader);
          reader.gone();
          reading.remove(reader);
          streamReaders.leave();
        });
    if (!streamReaders.isOpen()) {
      reader.end(); // stopped in the meantime
    }
  }

  /** Returns the number of readers. */
  int readers() {
    return streamReaders.count();
  }

  @Override
  public void start() {
    streamReaders.open();
  }

  @Override
  public void stop() {
    streamReaders.close();
    reading.forEach(EventReader::end);
    scheduler.dispose();
  }

  @Override
  public boolean isRunning() {
    return streamReaders.isOpen();
  }
}
