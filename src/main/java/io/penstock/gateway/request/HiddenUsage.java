package io.penstock.gateway.request;

import io.penstock.provider.answer.UsageHider;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Removes an event from a stream that only the gateway asked for, not the client. */
final class HiddenUsage {
  private final DataBufferFactory factory;
  private final UsageHider hider = new UsageHider();

  HiddenUsage(DataBufferFactory factory) {
    this.factory = factory;
  }

  /** Returns {@code body} without the event. */
  Flux<DataBuffer> in(Flux<DataBuffer> body) {
    return untilBreak(hidden(body)).concatWith(rest());
  }

  /** Returns the parts of a body, which are read one after the other, without the event. */
  Flux<Flux<DataBuffer>> inParts(Flux<Flux<DataBuffer>> parts) {
    return parts.map(part -> untilBreak(hidden(part))).concatWithValues(rest());
  }

  /** Returns a body that passes on what was kept back before it breaks off. */
  private Flux<DataBuffer> untilBreak(Flux<DataBuffer> body) {
    return body.onErrorResume(error -> rest().concatWith(Flux.error(error)));
  }

  /**
   * Removes the event from one body. It takes each buffer only when it is asked for, so that no
   * buffer waits in a place where it would not be released.
   */
  private Flux<DataBuffer> hidden(Flux<DataBuffer> body) {
    return body.handle(
        (buffer, sink) -> {
          DataBuffer without = without(buffer);
          if (without != null) {
            sink.next(without);
          }
        });
  }

  /** Returns the bytes that were kept back until the end and turned out not to be the event. */
  private Flux<DataBuffer> rest() {
    return Flux.defer(() -> Mono.justOrEmpty(copy(hider.end())).flux());
  }

  private @Nullable DataBuffer without(DataBuffer buffer) {
    boolean held = hider.holds();
    List<ByteBuffer> passed = new ArrayList<>();
    try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
      bytes.forEachRemaining(piece -> passed.addAll(hider.pass(piece)));
    }
    if (!held && size(passed) == buffer.readableByteCount()) {
      return buffer;
    }
    DataBuffer copy = copy(passed);
    DataBufferUtils.release(buffer);
    return copy;
  }

  private @Nullable DataBuffer copy(List<ByteBuffer> pieces) {
    int size = size(pieces);
    if (size == 0) {
      return null;
    }
    DataBuffer copy = factory.allocateBuffer(size);
    pieces.forEach(piece -> copy.write(piece));
    return copy;
  }

  private static int size(List<ByteBuffer> pieces) {
    int size = 0;
    for (ByteBuffer piece : pieces) {
      size += piece.remaining();
    }
    return size;
  }
}
