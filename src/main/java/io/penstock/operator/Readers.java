package io.penstock.operator;

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
 * Who reads a stream of server-sent events: so many at a time, and none once the gateway stops.
 * Safe from any thread.
 */
final class Readers {
  /** The most readers of one stream at a time. */
  static final int MOST = 128;

  private final AtomicInteger count = new AtomicInteger();
  private volatile boolean open;

  /** Answers with a stream, or says why there is none. */
  Mono<ServerResponse> answer(Supplier<Flux<ServerSentEvent<String>>> stream) {
    if (!open) {
      return Problem.of(HttpStatus.SERVICE_UNAVAILABLE, "the gateway is stopping").answer();
    }
    if (count.get() >= MOST) {
      String detail = "there are " + MOST + " readers already, as many as there may be";
      return Problem.of(HttpStatus.SERVICE_UNAVAILABLE, detail).answer();
    }
    return ServerResponse.ok()
        .cacheControl(CacheControl.noStore())
        .body(BodyInserters.fromServerSentEvents(stream.get()));
  }

  /**
   * Lets one in, who must {@link #leave}; false where there is no room. To be called where it is
   * certain that it leaves: an answer may never get as far as its stream.
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

  /** Returns how many read. */
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
