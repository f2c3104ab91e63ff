package io.penstock.wire;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * Body of an answer that was read only up to its beginning, before it is decided where it goes. Its
 * owner asks for the {@linkplain #whole whole} of it or {@linkplain #drop drops} it, once. Safe
 * from any thread.
 */
public final class AnswerBeginning extends BaseSubscriber<DataBuffer> {
  private final List<DataBuffer> read = new ArrayList<>();
  private final int mostBytes;
  private final MonoSink<AnswerBeginning> known;
  private @Nullable ScheduledFuture<?> patience;
  private @Nullable FluxSink<DataBuffer> reader;
  private @Nullable Throwable error;
  private int bytes;
  private boolean informed;
  private boolean ended;
  private boolean dropped;

  private AnswerBeginning(int mostBytes, MonoSink<AnswerBeginning> known) {
    this.mostBytes = mostBytes;
    this.known = known;
  }

  /**
   * Reads until there is something, or the end. A body that fails before that is an error.
   *
   * @param body read one buffer at a time
   */
  public static Mono<AnswerBeginning> something(Flux<DataBuffer> body) {
    return Mono.create(sink -> start(body, new AnswerBeginning(1, sink), sink));
  }

  /**
   * Reads until there are {@code mostBytes}, or the end is reached, or it takes longer than {@code
   * most}.
   *
   * @param loop runs the timeout
   */
  public static Mono<AnswerBeginning> of(
      Flux<DataBuffer> body, int mostBytes, Duration most, EventLoop loop) {
    return Mono.create(
        sink -> {
          AnswerBeginning answerBeginning = new AnswerBeginning(mostBytes, sink);
          answerBeginning.patience =
              loop.schedule(answerBeginning::tell, most.toNanos(), TimeUnit.NANOSECONDS);
          start(body, answerBeginning, sink);
        });
  }

  private static void start(
      Flux<DataBuffer> body, AnswerBeginning answerBeginning, MonoSink<AnswerBeginning> sink) {
    sink.onCancel(answerBeginning::drop);
    body.subscribe(answerBeginning);
  }

  @Override
  protected void hookOnSubscribe(Subscription subscription) {
    request(1);
  }

  @Override
  protected void hookOnNext(DataBuffer buffer) {
    boolean enough;
    synchronized (this) {
      if (dropped) {
        DataBufferUtils.release(buffer);
        return;
      }
      if (reader != null) {
        reader.next(buffer);
        return;
      }
      read.add(buffer);
      bytes += buffer.readableByteCount();
      enough = informed || bytes >= mostBytes;
    }
    if (enough) {
      tell();
    } else {
      request(1);
    }
  }

  @Override
  protected void hookOnComplete() {
    ends(null);
  }

  @Override
  protected void hookOnError(Throwable broken) {
    ends(broken);
  }

  private void ends(@Nullable Throwable broken) {
    synchronized (this) {
      ended = true;
      error = broken;
      if (reader != null) {
        close(reader);
        return;
      }
    }
    if (broken != null && bytes == 0 && first()) {
      known.error(broken);
    } else {
      tell();
    }
  }

  private void tell() {
    if (first()) {
      known.success(this);
    }
  }

  private synchronized boolean first() {
    if (informed) {
      return false;
    }
    informed = true;
    if (patience != null) {
      patience.cancel(false);
    }
    return true;
  }

  /** Returns what was read, at most as many bytes as were asked for. */
  public synchronized byte[] bytes() {
    byte[] all = new byte[Math.min(bytes, mostBytes)];
    int at = 0;
    for (DataBuffer buffer : read) {
      int count = Math.min(buffer.readableByteCount(), all.length - at);
      buffer.toByteBuffer(buffer.readPosition(), java.nio.ByteBuffer.wrap(all), at, count);
      at += count;
    }
    return all;
  }

  /** Returns the body from its first byte on; cancelling it cancels the answer. */
  public Flux<DataBuffer> whole() {
    return Flux.<DataBuffer>create(this::handOver)
        .doOnDiscard(DataBuffer.class, DataBufferUtils::release);
  }

  /** Returns whether a body of that length is all there, in one buffer. */
  public synchronized boolean isOnePiece(int contentLength) {
    return read.size() == 1 && bytes == contentLength;
  }

  /** Takes the one buffer; null when it was dropped. */
  public synchronized @Nullable DataBuffer onePiece() {
    return read.isEmpty() ? null : read.removeFirst();
  }

  private void handOver(FluxSink<DataBuffer> sink) {
    synchronized (this) {
      reader = sink;
      // the subscriber that gets the first buffer may drop all others at once
      List<DataBuffer> first = List.copyOf(read);
      read.clear();
      first.forEach(sink::next);
      if (ended) {
        close(sink);
        return;
      }
    }
    sink.onRequest(this::request);
    sink.onCancel(this::cancel);
  }

  private void close(FluxSink<DataBuffer> sink) {
    if (error == null) {
      sink.complete();
    } else {
      sink.error(error);
    }
  }

  /** Releases the body, and cancels the rest of it. */
  public void drop() {
    synchronized (this) {
      dropped = true;
      informed = true;
      if (patience != null) {
        patience.cancel(false);
      }
      read.forEach(DataBufferUtils::release);
      read.clear();
    }
    cancel();
  }

  /** Returns whether all of it was read. */
  public synchronized boolean complete() {
    return ended && error == null;
  }
}
