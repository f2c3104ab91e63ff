package io.penstock.gateway;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A request whose body is streamed through, and fails once its client sends nothing for too long
 * though it could: meanwhile it has a place at an upstream that others wait for.
 */
final class WatchedUpload extends ServerHttpRequestDecorator {
  private final EventLoop loop;
  private final Duration patience;

  WatchedUpload(ServerHttpRequest request, Duration patience) {
    super(request);
    this.loop = ConnectionGuard.channel(request).eventLoop();
    this.patience = patience;
  }

  @Override
  public Flux<DataBuffer> getBody() {
    return Flux.defer(this::watched);
  }

  private Flux<DataBuffer> watched() {
    Progress progress = new Progress();
    Mono<DataBuffer> stalled =
        Flux.interval(patience, Schedulers.fromExecutorService(loop))
            .onBackpressureDrop()
            .filter(look -> progress.stalled())
            .next()
            .flatMap(look -> Mono.error(BadUpload.stalled()));
    return super.getBody()
        .doOnRequest(progress::wanted)
        .doOnNext(piece -> progress.came())
        .takeUntilOther(stalled);
  }

  /** What is asked for and did not come yet; while nothing is, it is not the client who is slow. */
  private static final class Progress {
    private final AtomicLong open = new AtomicLong();
    private volatile boolean moved = true;

    void wanted(long pieces) {
      open.accumulateAndGet(pieces, (a, b) -> a > Long.MAX_VALUE - b ? Long.MAX_VALUE : a + b);
      moved = true;
    }

    void came() {
      open.decrementAndGet();
      moved = true;
    }

    /** Returns whether nothing came since the last look. */
    boolean stalled() {
      boolean still = !moved;
      moved = false;
      return still && open.get() > 0;
    }
  }
}
