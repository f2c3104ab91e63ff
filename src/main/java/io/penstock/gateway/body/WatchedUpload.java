package io.penstock.gateway.body;

import io.netty.channel.EventLoop;
import io.penstock.wire.ConnectionGuard;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A request with a streamed body that fails once its client sends too little for too long although
 * it could send: meanwhile the request occupies a place at an upstream that others wait for. Its
 * total duration is not limited, because nothing of it is kept in memory.
 */
public final class WatchedUpload extends ServerHttpRequestDecorator {
  private final EventLoop loop;
  private final BodyPace.Terms terms;

  public WatchedUpload(ServerHttpRequest request, BodyPace.Terms terms) {
    super(request);
    this.loop = ConnectionGuard.channel(request).eventLoop();
    this.terms = terms;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return Flux.defer(this::watched);
  }

  private Flux<DataBuffer> watched() {
    Progress progress = new Progress(terms.leastBytes());
    Duration window = Duration.ofNanos(terms.windowNanos());
    Mono<DataBuffer> late =
        Flux.interval(window, Schedulers.fromExecutorService(loop))
            .onBackpressureDrop()
            .filter(tick -> progress.late())
            .next()
            .flatMap(tick -> Mono.error(BadUpload.late()));
    return super.getBody()
        .doOnRequest(progress::wanted)
        .doOnNext(piece -> progress.came(piece.readableByteCount()))
        .takeUntilOther(late);
  }

  /**
   * Pieces that were requested and have not come yet; while there are none, it is not the client
   * that is slow.
   */
  private static final class Progress {
    private final long leastBytes;
    private final AtomicLong open = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    /** Whether there was a time since the last check in which no piece was requested. */
    private volatile boolean idle = true;

    Progress(long leastBytes) {
      this.leastBytes = leastBytes;
    }

    void wanted(long pieces) {
      open.accumulateAndGet(pieces, (a, b) -> a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b);
    }

    void came(int count) {
      bytes.addAndGet(count);
      if (open.decrementAndGet() == 0) {
        idle = true;
      }
    }

    /** Returns whether too little came since the last check. */
    boolean late() {
      boolean late = !idle && bytes.get() < leastBytes;
      bytes.set(0);
      idle = open.get() == 0;
      return late;
    }
  }
}
