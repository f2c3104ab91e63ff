package io.penstock.gateway.body;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.provider.request.RequestReader;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpRequest;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.SignalType;

/**
 * Reads a body into memory, piece by piece, as the budget of all bodies allows. Belongs to the
 * event loop of its connection.
 */
public final class BodyIntake extends BaseSubscriber<DataBuffer> {
  /**
   * The pace at which bodies have to come.
   *
   * @param ticker the clock that measures it
   */
  public record Terms(BodyPace.Terms pace, Ticker ticker) {}

  /** The ways in which reading can end. */
  public enum End {
    WHOLE,
    TOO_LARGE,
    /** The client sends too slowly. */
    LATE,
    /** The client broke off, so there is no client to answer. */
    BROKEN
  }

  private final HeldBody body;
  private final RequestReader reader;
  private final long mostBytes;
  private final BodyPace pace;
  private final Ticker ticker;
  private final ServerHttpRequest request;
  private final EventLoop loop;
  private final Runnable onCancel;
  private final MonoSink<End> sink;
  private @Nullable ScheduledFuture<?> watch;
  private boolean asked;
  private boolean ended;

  private BodyIntake(
      ServerHttpRequest request,
      HeldBody body,
      RequestReader reader,
      long mostBytes,
      Terms terms,
      Runnable onCancel,
      MonoSink<End> sink) {
    this.request = request;
    this.body = body;
    this.reader = reader;
    this.mostBytes = mostBytes;
    this.pace = new BodyPace(terms.pace());
    this.ticker = terms.ticker();
    this.loop = ConnectionGuard.channel(request).eventLoop();
    this.onCancel = onCancel;
    this.sink = sink;
  }

  /**
   * Reads the body of a request.
   *
   * @param terms how fast it has to come
   * @param onCancel run when the client goes away meanwhile, in which case there is no end
   */
  public static Mono<End> read(
      ServerHttpRequest request,
      HeldBody body,
      RequestReader reader,
      long mostBytes,
      Terms terms,
      Runnable onCancel) {
    body.expect(request.getHeaders().getContentLength(), mostBytes);
    return Mono.create(
        sink -> {
          BodyIntake intake =
              new BodyIntake(request, body, reader, mostBytes, terms, onCancel, sink);
          sink.onDispose(intake);
          request.getBody().subscribe(intake);
        });
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    begin();
  }

  private void begin() {
    if (!isDisposed()) {
      next();
      watch();
    }
  }

  @Override
  protected void hookOnNext(DataBuffer piece) {
    asked = false;
    pace.came(piece.readableByteCount());
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
      request(1);
    } else if (watch != null) {
      pace.pause(ticker.nanos());
    }
  }

  /**
   * Starts checking the client's pace from time to time; a body that is already here needs no
   * check.
   */
  private void watch() {
    if (asked && !isDisposed()) {
      long now = ticker.nanos();
      pace.resume(now);
      if (watch == null) {
        watch(pace.check(now));
      }
    }
  }

  private void watch(long nanos) {
    watch = loop.schedule(this::checkPace, nanos, TimeUnit.NANOSECONDS);
  }

  private void checkPace() {
    watch = null;
    if (asked) {
      long nanos = pace.check(ticker.nanos());
      if (nanos > 0) {
        watch(nanos);
      } else {
        end(End.LATE);
      }
    }
  }

  @Override
  protected void hookOnComplete() {
    ended = true;
    body.complete();
    // invalid HTTP ends a body just like its end does, and has been answered by the codec
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
      onCancel.run();
    }
  }

  /**
   * Reads and discards a body that is not needed, because the end of a connection is only seen once
   * all before it was read.
   */
  public static void drain(ServerHttpRequest request) {
    request.getBody().onErrorComplete().subscribe(DataBufferUtils.releaseConsumer());
  }
}
