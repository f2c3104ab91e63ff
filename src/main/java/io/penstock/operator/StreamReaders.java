package io.penstock.operator;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.codec.ServerSentEvent;
import org.springframework.web.reactive.function.BodyInserters;
import org.springframework.web.reactive.function.server.ServerResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Counts the readers of a stream of server-sent events, up to a maximum; admits none once the
 * gateway stops. Safe from any thread.
 */
final class StreamReaders {
  /** Maximum number of concurrent readers of one stream. */
  static final int MOST = 128;

  @SharedState("readers of events")
  private final AtomicInteger count = new AtomicInteger();

  private volatile boolean open;

  /** Answers with a stream, or with the reason why there is none. */
  Mono<ServerResponse> answer(Supplier<Flux<ServerSentEvent<String>>> stream) {
    if (!open) {
      return ProblemAnswer.answering(HttpStatus.SERVICE_UNAVAILABLE, "the gateway is stopping");
    }
    if (count.get() >= MOST) {
      String detail = "there are " + MOST + " readers already, as many as there may be";
      return ProblemAnswer.answering(HttpStatus.SERVICE_UNAVAILABLE, detail);
    }
    return ServerResponse.ok()
        .cacheControl(CacheControl.noStore())
        .body(BodyInserters.fromServerSentEvents(stream.get()));
  }

  /**
   * Admits a reader, for which {@link #leave} must be called later; returns false if there is no
   * room. Call this only where it is certain that the reader leaves, because an answer may end
   * before its stream is subscribed to.
   */
  boolean enter() {
    if (count.incrementAndGet() <= MOST && open) {
      return true;
    }
    leave();
    return false;
  }

  void leave() {
    count.decrementAndGet();
  }

  /** Returns the number of readers. */
  int count() {
    return count.get();
  }

  void open() {
    open = true;
  }

  void close() {
    open = false;
  }

  boolean isOpen() {
    return open;
  }
}
