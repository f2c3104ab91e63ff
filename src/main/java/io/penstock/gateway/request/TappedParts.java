package io.penstock.gateway.request;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/**
 * A body in parts that are flushed one by one. Its writer requests parts ahead of writing them, so
 * the body has ended only when no more parts come <em>and</em> each of them was read: a part that
 * was not read may contain the usage.
 */
final class TappedParts {
  /** Passes on only the first end signal. */
  private static final class Once extends AtomicBoolean {
    private static final long serialVersionUID = 1L;

    private final transient Consumer<SignalType> ends;

    Once(Consumer<SignalType> ends) {
      this.ends = ends;
    }

    void accept(SignalType signal) {
      if (compareAndSet(false, true)) {
        ends.accept(signal);
      }
    }
  }

  private final Consumer<DataBuffer> passes;
  private final Consumer<SignalType> ends;

  /** Number of open streams: the body itself, and each part that is not read to its end. */
  private final AtomicInteger open = new AtomicInteger(1);

  private TappedParts(Consumer<DataBuffer> passes, Consumer<SignalType> ends) {
    this.passes = passes;
    this.ends = ends;
  }

  /**
   * Returns {@code body} with each buffer passed to {@code passes} and its end to {@code ends}. A
   * part that fails or is cancelled counts as an end too, so {@code ends} may be called more than
   * once.
   */
  static Flux<Flux<DataBuffer>> of(
      Publisher<? extends Publisher<? extends DataBuffer>> body,
      Consumer<DataBuffer> passes,
      Consumer<SignalType> ends) {
    TappedParts tapped = new TappedParts(passes, ends);
    return ended(Flux.from(body).map(tapped::part), tapped::closed);
  }

  private Flux<DataBuffer> part(Publisher<? extends DataBuffer> part) {
    open.incrementAndGet();
    return ended(Flux.<DataBuffer>from(part).doOnNext(passes), this::closed);
  }

  /**
   * Returns {@code body} with its end passed to {@code ends} before any subscriber downstream
   * learns of it: the code that returns charges that were never settled must come second.
   */
  static <T> Flux<T> ended(Flux<T> body, Consumer<SignalType> ends) {
    return Flux.defer(
        () -> {
          Once once = new Once(ends);
          return body.doOnComplete(() -> once.accept(SignalType.ON_COMPLETE))
              .doOnError(error -> once.accept(SignalType.ON_ERROR))
              .doOnCancel(() -> once.accept(SignalType.CANCEL));
        });
  }

  /** Does the same for a body in one piece. */
  static <T> Mono<T> ended(Mono<T> body, Consumer<SignalType> ends) {
    return Mono.defer(
        () -> {
          Once once = new Once(ends);
          return body.doOnSuccess(end -> once.accept(SignalType.ON_COMPLETE))
              .doOnError(error -> once.accept(SignalType.ON_ERROR))
              .doOnCancel(() -> once.accept(SignalType.CANCEL));
        });
  }

  private void closed(SignalType signal) {
    int left = open.decrementAndGet();
    if (signal != SignalType.ON_COMPLETE || left == 0) {
      ends.accept(signal);
    }
  }
}
