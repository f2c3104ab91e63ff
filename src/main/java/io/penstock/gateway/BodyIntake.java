package io.penstock.gateway;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.provider.RequestReader;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.SignalType;

/**
 * Reads a body into memory, piece by piece, as the budget of all bodies allows. Belongs to the
 * event loop of its connection.
 */
final class BodyIntake extends BaseSubscriber<DataBuffer> {
  /** How reading ended. */
  enum End {
    WHOLE,
    TOO_LARGE,
    /** The client did not send on in time. */
    STALLED,
    /** The client broke off; there is nobody to answer. */
    BROKEN
  }

  private final HeldBody body;
  private final RequestReader reader;
  private final long mostBytes;
  private final Duration patience;
  private final ServerHttpRequest request;
  private final EventLoop loop;
  private final Runnable gone;
  private final MonoSink<End> sink;
  private @Nullable ScheduledFuture<?> watch;
  private boolean asked;
  private boolean progressed;
  private boolean ended;

  private BodyIntake(
      ServerHttpRequest request,
      HeldBody body,
      RequestReader reader,
      long mostBytes,
      Duration patience,
      Runnable gone,
      MonoSink<End> sink) {
    this.request = request;
    this.body = body;
    this.reader = reader;
    this.mostBytes = mostBytes;
    this.patience = patience;
    this.loop = ConnectionGuard.channel(request).eventLoop();
    this.gone = gone;
    this.sink = sink;
  }

  /**
   * Reads the body of a request.
   *
   * @param patience how long the client may send nothing while it could
   * @param gone run when the client goes away meanwhile, so that there is no end
   */
  static Mono<End> read(
      ServerHttpRequest request,
      HeldBody body,
      RequestReader reader,
      long mostBytes,
      Duration patience,
      Runnable gone) {
    return Mono.create(
        sink -> {
          BodyIntake intake =
              new BodyIntake(request, body, reader, mostBytes, patience, gone, sink);
          sink.onDispose(intake);
          request.getBody().subscribe(intake);
        });
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    begin();
  }

  private void begin() {
    next();
    watch();
  }

  @Override
  protected void hookOnNext(DataBuffer piece) {
    asked = false;
    body.add(piece, reader::feed);
    if (body.size() > mostBytes) {
      end(End.TOO_LARGE);
    } else {
      next();
    }
  }

  private void next() {
    if (body.mayRead(() -> loop.execute(this::begin))) {
      asked = true;
      progressed = true;
      request(1);
    }
  }

  /** Looks now and then whether anything came; a body that is here already needs none of it. */
  private void watch() {
    if (watch == null && asked && !isDisposed()) {
      long nanos = patience.toNanos();
      watch = loop.scheduleAtFixedRate(this::look, nanos, nanos, TimeUnit.NANOSECONDS);
    }
  }

  private void look() {
    if (asked && !progressed) {
      end(End.STALLED);
    }
    progressed = false;
  }

  @Override
  protected void hookOnComplete() {
    ended = true;
    body.complete();
    // what is not HTTP ends a body as its end does, and has been answered by the codec
    sink.success(ConnectionGuard.broken(request) ? End.BROKEN : End.WHOLE);
  }

  @Override
  protected void hookOnError(Throwable broken) {
    ended = true;
    sink.success(End.BROKEN);
  }

  private void end(End end) {
    ended = true;
    cancel();
    sink.success(end);
  }

  @Override
  protected void hookFinally(SignalType type) {
    if (watch != null) {
      watch.cancel(false);
    }
    if (type == SignalType.CANCEL && !ended) {
      gone.run();
    }
  }
}
