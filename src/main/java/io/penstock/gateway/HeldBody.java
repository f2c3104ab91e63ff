package io.penstock.gateway;

import io.penstock.provider.Edit;
import io.penstock.provider.Edits;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.io.buffer.PooledDataBuffer;
import reactor.core.publisher.Flux;

/**
 * The body of a request while the gateway has it. It is held in the buffers it came in; one that
 * waits is copied once, to its exact size, because a slice would pin a whole chunk of its pool.
 * Safe from any thread.
 */
final class HeldBody {
  private final List<DataBuffer> buffers = new ArrayList<>();
  private final BodyBudget.Claim claim;
  private byte @Nullable [] copy;
  private long size;
  private boolean freed;

  /** Makes an empty body. */
  HeldBody(BodyBudget.Claim claim) {
    this.claim = claim;
  }

  /** Returns whether more of it may be read now; if not, {@code resume} is run when it may. */
  boolean mayRead(Runnable resume) {
    return claim.mayRead(resume);
  }

  /** Says that there is no more of it. */
  void complete() {
    claim.complete();
  }

  /** Takes over a buffer and shows its bytes to {@code reader}. */
  void add(DataBuffer buffer, Consumer<ByteBuffer> reader) {
    int count = buffer.readableByteCount();
    if (keep(buffer, count, reader)) {
      claim.add(count);
    }
  }

  private synchronized boolean keep(DataBuffer buffer, int count, Consumer<ByteBuffer> reader) {
    if (freed) {
      DataBufferUtils.release(buffer);
      return false;
    }
    size += count;
    buffers.add(buffer);
    try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
      bytes.forEachRemaining(reader);
    }
    return true;
  }

  /** Returns how many bytes there are. */
  synchronized long size() {
    return size;
  }

  /** Copies the bytes out of their buffers and lets those go. */
  synchronized void park() {
    if (copy != null || freed) {
      return;
    }
    byte[] exact = new byte[Math.toIntExact(size)];
    int at = 0;
    for (DataBuffer buffer : buffers) {
      int count = buffer.readableByteCount();
      buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(exact), at, count);
      at += count;
    }
    copy = exact;
    release();
  }

  /** Returns the body, as often as it is asked for until it is freed. */
  Flux<DataBuffer> publish(DataBufferFactory factory) {
    return Flux.defer(() -> Flux.fromIterable(parts(factory)))
        .doOnDiscard(PooledDataBuffer.class, DataBufferUtils::release);
  }

  private synchronized List<DataBuffer> parts(DataBufferFactory factory) {
    if (copy != null) {
      return List.of(DefaultDataBufferFactory.sharedInstance.wrap(copy));
    }
    List<DataBuffer> parts = new ArrayList<>(buffers.size());
    for (DataBuffer buffer : buffers) {
      parts.add(Duplicates.of(buffer, factory));
    }
    return parts;
  }

  /** Returns the body with some of its bytes changed, as {@link #publish} does. */
  Flux<DataBuffer> publish(DataBufferFactory factory, List<Edit> edits) {
    if (edits.isEmpty()) {
      return publish(factory);
    }
    return Flux.defer(
        () -> {
          // the pieces may outlive what they are pieces of, so they are of a copy
          park();
          return Flux.fromIterable(edited(edits));
        });
  }

  private synchronized List<DataBuffer> edited(List<Edit> edits) {
    return copy == null
        ? List.of()
        : Edits.apply(List.of(ByteBuffer.wrap(copy)), edits).stream()
            .<DataBuffer>map(DefaultDataBufferFactory.sharedInstance::wrap)
            .toList();
  }

  /** Lets everything go; the body cannot be published any more. */
  void free() {
    synchronized (this) {
      freed = true;
      copy = null;
      release();
    }
    claim.release();
  }

  private void release() {
    buffers.forEach(DataBufferUtils::release);
    buffers.clear();
  }
}
