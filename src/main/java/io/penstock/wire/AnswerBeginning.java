package io.penstock.wire;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
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
  /** Looks at what was read so far, to tell whether more has to be known. */
  public interface Look {
    /** Result of a look. */
    enum Sight {
      /** Nothing so far: more matters only if it has come already. */
      NOTHING,
      /** It has begun: the rest of it is waited for. */
      BEGUN,
      /** It is all there: no more matters. */
      WHOLE
    }

    /** Returns what is to be seen in the buffers, which must stay as they are. */
    Sight at(List<DataBuffer> read);
  }

  private final List<DataBuffer> read = new ArrayList<>();
  private final int mostBytes;
  private final MonoSink<AnswerBeginning> known;
  private Look.@Nullable Sight sight;
  private @Nullable Predicate<List<DataBuffer>> looker;
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
   * Reads until there is something, and all that has come with it: what the sender wrote at once
   * arrives in several pieces. If {@code look} sees in it that something has begun, reads on until
   * that is there, but no more bytes and no longer than {@link #of}.
   */
  public static Mono<AnswerBeginning> looked(
      Flux<DataBuffer> body, Look look, int mostBytes, Duration most, EventLoop loop) {
    return Mono.create(
        sink -> {
          AnswerBeginning answerBeginning = new AnswerBeginning(mostBytes, sink);
          answerBeginning.looker = read -> answerBeginning.looked(look.at(read), most, loop);
          start(body, answerBeginning, sink);
        });
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
          answerBeginning.waits(most, loop);
          start(body, answerBeginning, sink);
        });
  }

  private void waits(Duration most, EventLoop loop) {
    patience = loop.schedule(this::tell, most.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Handles what is seen after another piece; returns whether no more is read for now. */
  private boolean looked(Look.Sight now, Duration most, EventLoop loop) {
    Look.Sight before = sight;
    sight = now;
    switch (now) {
      case NOTHING -> {
        if (before == null) {
          loop.execute(this::tellUnlessBegun); // after all pieces that have come by now
        }
      }
      case BEGUN -> {
        if (before != Look.Sight.BEGUN) {
          waits(most, loop);
        }
      }
      case WHOLE -> {
        return true;
      }
    }
    return before == Look.Sight.BEGUN && now == Look.Sight.NOTHING;
  }

  private void tellUnlessBegun() {
    synchronized (this) {
      if (sight == Look.Sight.BEGUN) {
        return;
      }
    }
    tell();
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
      boolean seen = !informed && looker != null && looker.test(read);
      enough = informed || seen || bytes >= mostBytes;
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
