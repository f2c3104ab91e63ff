package io.penstock.wire;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.server.reactive.ServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The buffers of an answer as parts that a response flushes one by one. A response requests parts
 * ahead of writing them, and forgets those that it can no longer write without reading them. So
 * this owns a buffer until its part is read. Safe from any thread.
 */
public final class FlushedParts {
  private final Deque<Part> unread = new ArrayDeque<>();
  private boolean begun;
  private boolean closed;

  private FlushedParts() {}

  /**
   * Writes {@code body} to the response, and flushes it after each buffer. A body that breaks off
   * fails with its last part: an error beside the parts would overtake those that were not read.
   * One that fails before it begins fails at once, so that another answer can be written.
   */
  public static Mono<Void> write(ServerHttpResponse response, Flux<DataBuffer> body) {
    FlushedParts parts = new FlushedParts();
    Flux<Publisher<DataBuffer>> all = body.map(parts::part).onErrorResume(parts::broken);
    return response.writeAndFlushWith(all).doFinally(end -> parts.close());
  }

  private synchronized Publisher<DataBuffer> part(DataBuffer buffer) {
    if (closed) {
      DataBufferUtils.release(buffer);
      return Flux.empty();
    }
    begun = true;
    Part part = new Part(buffer);
    unread.add(part);
    return Mono.fromSupplier(() -> read(part)).flux();
  }

  private synchronized Flux<Publisher<DataBuffer>> broken(Throwable error) {
    return begun ? Flux.just(Flux.error(error)) : Flux.error(error);
  }

  private synchronized @Nullable DataBuffer read(Part part) {
    // the parts are read in the order in which they came
    return unread.remove(part) ? part.buffer : null;
  }

  private synchronized void close() {
    closed = true;
    unread.forEach(part -> DataBufferUtils.release(part.buffer));
    unread.clear();
  }

  /** One buffer; two of them are the same only if they are one object. */
  private static final class Part {
    private final DataBuffer buffer;

    Part(DataBuffer buffer) {
      this.buffer = buffer;
    }
  }
}
