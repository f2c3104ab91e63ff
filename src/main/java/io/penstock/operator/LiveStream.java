package io.penstock.operator;

import io.penstock.event.EventBus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.springframework.context.SmartLifecycle;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.server.ServerRequest;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Streams the state of endpoints and upstreams twice a second to a bounded number of readers
 * (server-sent events): first everything, then changes. A slow reader misses snapshots but no
 * changes, and is sent the number of snapshots it missed. No snapshots are taken while nobody
 * reads.
 */
final class LiveStream implements SmartLifecycle {
  private static final Duration EVERY = Duration.ofMillis(500);
  private static final Duration HEARTBEAT = Duration.ofSeconds(15);

  private final RecentWaits recentWaits;
  private final Scheduler scheduler;
  private final Flux<LiveChanges.Snapshot> looks;
  private final StreamReaders streamReaders = new StreamReaders();
  private final Sinks.Empty<Void> stopped = Sinks.empty();

  LiveStream(LiveChanges liveChanges, RecentWaits recentWaits, EventBus events) {
    this(liveChanges, recentWaits, events, Schedulers.newSingle("penstock-live", true));
  }

  LiveStream(
      LiveChanges liveChanges, RecentWaits recentWaits, EventBus events, Scheduler scheduler) {
    this.recentWaits = recentWaits;
    this.scheduler = scheduler;
    this.looks =
        Flux.using(
                () -> events.subscribe(recentWaits),
                listening -> ticks().map(tick -> liveChanges.takeSnapshot()),
                this::ended)
            .replay(1)
            .refCount(1, Duration.ofSeconds(5), scheduler);
  }

  private Flux<Long> ticks() {
    return Flux.interval(Duration.ZERO, EVERY, scheduler).onBackpressureDrop();
  }

  private void ended(EventBus.Subscription listening) {
    listening.close();
    recentWaits.clear();
  }

  /** Answers with the changes, until the reader disconnects. */
  Mono<ServerResponse> open(ServerRequest request) {
    return streamReaders.answer(this::news);
  }

  /** Returns the changes, starting anew with each subscription. */
  Flux<ServerSentEvent<String>> news() {
    return Flux.defer(
        () -> {
          if (!streamReaders.enter()) {
            return Flux.empty();
          }
          Reader reader = new Reader();
          // Changes are computed on demand, so they include those of missed snapshots.
          Flux<ServerSentEvent<String>> news =
              looks.onBackpressureLatest().concatMapIterable(reader::news, 1);
          Flux<ServerSentEvent<String>> beats =
              Flux.interval(HEARTBEAT, scheduler)
                  .onBackpressureDrop()
                  .map(beat -> EventReader.comment("still here"));
          return Flux.merge(1, news, beats)
              .takeUntilOther(stopped.asMono())
              .onErrorComplete(RejectedExecutionException.class) // stopped in the meantime
              .doFinally(end -> streamReaders.leave());
        });
  }

  /** Remembers what was last sent to one reader. */
  private static final class Reader {
    private long last;
    private String upstreams = "";
    private String instance = "";

    List<ServerSentEvent<String>> news(LiveChanges.Snapshot look) {
      List<ServerSentEvent<String>> news = new ArrayList<>();
      long missed = last == 0 ? 0 : look.number() - last - 1;
      if (missed > 0) {
        news.add(event("lost", OperatorJson.text(Map.of("looks", missed))));
      }
      String endpoints = look.news(last);
      last = look.number();
      if (endpoints != null) {
        news.add(event("endpoints", endpoints));
      }
      if (!look.upstreams().equals(upstreams)) {
        upstreams = look.upstreams();
        news.add(event("upstreams", upstreams));
      }
      if (!look.instance().equals(instance)) {
        instance = look.instance();
        news.add(event("instance", instance));
      }
      return news;
    }

    private static ServerSentEvent<String> event(String name, String data) {
      return ServerSentEvent.builder(data).event(name).build();
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
    stopped.tryEmitEmpty();
    scheduler.dispose();
  }

  @Override
  public boolean isRunning() {
    return streamReaders.isOpen();
  }
}
