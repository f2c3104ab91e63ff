package io.penstock.gateway.body;

import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.penstock.provider.request.RequestReader;
import io.penstock.time.Ticker;
import io.penstock.wire.ConnectionGuard;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
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
    /** The body is not what its encoding says. */
    CORRUPT,
    /** The client sends too slowly. */
    LATE,
    /** The client broke off, so there is no client to answer. */
    BROKEN
  }

  private static final long UNSTATED = -1;
  private static final NettyDataBufferFactory INFLATED =
      new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);

  private final HeldBody body;
  private final @Nullable BodyInflation inflation;
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
  private boolean inflating;
  private boolean received;
  private boolean ended;

  private BodyIntake(
      ServerHttpRequest request,
      HeldBody body,
      BodyEncoding encoding,
      RequestReader reader,
      long mostBytes,
      Terms terms,
      Runnable onCancel,
      MonoSink<End> sink) {
    this.request = request;
    this.body = body;
    this.inflation = encoding.inflation();
    this.reader = reader;
    this.mostBytes = mostBytes;
    this.pace = new BodyPace(terms.pace());
    this.ticker = terms.ticker();
    this.loop = ConnectionGuard.channel(request).eventLoop();
    this.onCancel = onCancel;
    this.sink = sink;
  }

  /**
   * Reads the body of a request; a compressed one is inflated, and counts as large as it is then.
   *
   * @param terms how fast it has to come
   * @param onCancel run when the client goes away meanwhile, in which case there is no end
   */
  public static Mono<End> read(
      ServerHttpRequest request,
      HeldBody body,
      BodyEncoding encoding,
      RequestReader reader,
      long mostBytes,
      Terms terms,
      Runnable onCancel) {
    boolean stated = encoding == BodyEncoding.IDENTITY;
    body.expect(stated ? request.getHeaders().getContentLength() : UNSTATED, mostBytes);
    return Mono.create(
        sink -> {
          BodyIntake intake =
              new BodyIntake(request, body, encoding, reader, mostBytes, terms, onCancel, sink);
          sink.onDispose(intake::leave);
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
    if (inflation == null) {
      if (add(piece)) {
        next();
      }
      return;
    }
    byte[] compressed = new byte[piece.readableByteCount()];
    piece.read(compressed);
    DataBufferUtils.release(piece);
    inflation.feed(compressed);
    inflating = true;
    inflate(inflation);
  }

  /** Adds a piece to the body; returns false if that made it too large, which ends the reading. */
  private boolean add(DataBuffer piece) {
    body.add(piece, reader::feed);
    if (body.size() > mostBytes) {
      end(End.TOO_LARGE);
      return false;
    }
    return true;
  }

  /**
   * Inflates the last piece, a part of it at once: a small piece may become a large one, and the
   * event loop has others to serve.
   */
  private void inflate(BodyInflation inflation) {
    if (ended) {
      return;
    }
    try {
      int bytes = 0;
      for (byte[] part = inflation.next(); part != null; part = inflation.next()) {
        if (!add(INFLATED.wrap(Unpooled.wrappedBuffer(part)))) {
          return;
        }
        bytes += part.length;
        if (bytes >= HeldBody.STEP_BYTES) {
          // a task given to execute() would run before other connections are served
          var _ = loop.schedule(() -> inflate(inflation), 0, TimeUnit.NANOSECONDS);
          return;
        }
      }
    } catch (DataFormatException corrupt) {
      end(End.CORRUPT);
      return;
    }
    inflating = false;
    if (received) {
      whole();
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
    received = true;
    if (!inflating) {
      whole();
    }
  }

  private void whole() {
    boolean corrupt = inflation != null && !inflation.complete();
    finish();
    body.complete();
    // invalid HTTP ends a body just like its end does, and has been answered by the codec
    if (ConnectionGuard.broken(request)) {
      sink.success(End.BROKEN);
    } else {
      sink.success(corrupt ? End.CORRUPT : End.WHOLE);
    }
  }

  /** Notes that nothing more is read. */
  private void finish() {
    ended = true;
    if (inflation != null) {
      inflation.close();
    }
  }

  /** Stops because there is nobody to read for any more. */
  private void leave() {
    dispose();
    if (!ended) {
      finish();
      onCancel.run();
    }
  }

  @Override
  protected void hookOnError(Throwable broken) {
    finish();
    sink.success(End.BROKEN);
  }

  private void end(End end) {
    finish();
    cancel();
    sink.success(end);
  }

  @Override
  protected void hookFinally(SignalType type) {
    if (watch != null) {
      watch.cancel(false);
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
