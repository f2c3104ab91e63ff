package io.penstock.gateway.body;

import io.penstock.json.BodyEdit;
import io.penstock.json.BodyEdits;
import io.penstock.prefix.ContentHash;
import io.penstock.wire.OutgoingBuffers;
import io.penstock.wire.SharedBuffers;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.core.io.buffer.DefaultDataBufferFactory;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.core.io.buffer.PooledDataBuffer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;

/**
 * The body of a request while the gateway keeps it in memory. It stays in the buffers it came in. A
 * body that waits is copied once, to its exact size, because a slice would keep a whole chunk of
 * the buffer pool in use; a large body is copied in steps, between which its event loop serves
 * others. Safe from any thread.
 */
public final class HeldBody {
  /** About how many bytes are copied or sent at once: 0.1 ms of an event loop. */
  static final int STEP_BYTES = 128 << 10;

  /** The first bytes, if they were copied. */
  private final List<byte[]> copies = new ArrayList<>();

  /** The bytes after those, in the buffers they came in. */
  private final Deque<DataBuffer> buffers = new ArrayDeque<>();

  private final BodyBudget.Claim claim;
  private long size;
  private boolean freed;

  /** Creates an empty body. */
  public HeldBody(BodyBudget.Claim claim) {
    this.claim = claim;
  }

  /** Returns the tenant that has the memory of it in its share. */
  public Object tenant() {
    return claim.tenant();
  }

  /** Sets the expected length; negative when it is not known. */
  void expect(long statedBytes, long mostBytes) {
    claim.expect(statedBytes, mostBytes);
  }

  /** Returns whether the next part of it waits for memory. Safe from any thread. */
  public boolean waitsForMemory() {
    return claim.waitsForMemory();
  }

  /** Returns whether more of it may be read now; if not, {@code resume} is run when it may. */
  boolean mayRead(Runnable resume) {
    return claim.mayRead(resume);
  }

  /** Notes that the body is complete. */
  void complete() {
    claim.complete();
  }

  /** Takes over a buffer and passes its bytes to {@code reader}. */
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
  public synchronized long size() {
    return size;
  }

  /** Adds its bytes to a hash; faster before it is copied. */
  public synchronized void addTo(ContentHash hash) {
    for (byte[] copy : copies) {
      hash.add(ByteBuffer.wrap(copy), 0, copy.length);
    }
    for (DataBuffer buffer : buffers) {
      try (DataBuffer.ByteBufferIterator bytes = buffer.readableByteBuffers()) {
        bytes.forEachRemaining(each -> hash.add(each, each.position(), each.limit()));
      }
    }
  }

  /**
   * Copies the body out of the buffers it came in, to wait in a queue. Returns false, and does
   * nothing, when the bodies that wait, or those of its tenant, already have all the bytes they
   * may.
   */
  public boolean park(Executor later) {
    boolean parked = claim.park();
    if (parked) {
      detach(later);
    }
    return parked;
  }

  /**
   * Copies the bytes out of their buffers and releases those: some of them now, the others when
   * {@code later} runs.
   */
  public void detach(Executor later) {
    if (step()) {
      later.execute(() -> detach(later));
    }
  }

  /** Notes that the body does not wait any more. */
  public void unpark() {
    claim.unpark();
  }

  /** Copies some of the bytes; returns whether there are more. */
  private synchronized boolean step() {
    int bytes = 0;
    int many = 0;
    for (DataBuffer buffer : buffers) {
      bytes += buffer.readableByteCount();
      many++;
      if (bytes >= STEP_BYTES) {
        break;
      }
    }
    byte[] exact = new byte[bytes];
    int at = 0;
    for (int i = 0; i < many; i++) {
      DataBuffer buffer = buffers.remove();
      int count = buffer.readableByteCount();
      buffer.toByteBuffer(buffer.readPosition(), ByteBuffer.wrap(exact), at, count);
      at += count;
      DataBufferUtils.release(buffer);
    }
    if (bytes > 0) {
      copies.add(exact);
    }
    return !buffers.isEmpty();
  }

  /**
   * Returns the body with some of its bytes changed; may be called repeatedly until it is freed. A
   * large body comes in steps, the first at once and the others when {@code later} runs: otherwise
   * everything that a socket accepts without waiting would be written at once.
   */
  public Flux<DataBuffer> publish(DataBufferFactory factory, List<BodyEdit> edits, Executor later) {
    if (edits.isEmpty()) {
      return stepwise(() -> parts(factory), later);
    }
    // the edited pieces may outlive the buffers they are slices of, so they are made from a copy
    return Mono.<Void>create(sink -> copy(sink, later))
        .thenMany(stepwise(() -> edited(edits), later));
  }

  private void copy(MonoSink<Void> sink, Executor later) {
    if (step()) {
      later.execute(() -> copy(sink, later));
    } else {
      sink.success();
    }
  }

  /** Returns the body if it is in one buffer as it came, else null; may be called repeatedly. */
  public synchronized @Nullable Mono<DataBuffer> onePiece(NettyDataBufferFactory factory) {
    boolean one = copies.isEmpty() && buffers.size() == 1 && size <= STEP_BYTES;
    return one ? Mono.fromSupplier(() -> first(factory)) : null;
  }

  /** Returns the one buffer, or null when the body was freed since. */
  private synchronized @Nullable DataBuffer first(NettyDataBufferFactory factory) {
    List<DataBuffer> parts = parts(factory);
    return parts.isEmpty() ? null : parts.getFirst();
  }

  /** Returns the body at once; may be called repeatedly until it is freed. */
  public Flux<DataBuffer> publish(DataBufferFactory factory) {
    return stepwise(() -> parts(factory), Runnable::run);
  }

  private static Flux<DataBuffer> stepwise(Callable<List<DataBuffer>> parts, Executor later) {
    return Flux.using(
            () -> new OutgoingBuffers(parts.call(), STEP_BYTES),
            each -> each.flow(later),
            OutgoingBuffers::close)
        .doOnDiscard(PooledDataBuffer.class, DataBufferUtils::release);
  }

  private synchronized List<DataBuffer> parts(DataBufferFactory factory) {
    List<DataBuffer> parts = new ArrayList<>(copies.size() + buffers.size());
    copies.forEach(copy -> parts.add(factory.wrap(copy)));
    for (DataBuffer buffer : buffers) {
      parts.add(SharedBuffers.of(buffer, factory));
    }
    return parts;
  }

  private synchronized List<DataBuffer> edited(List<BodyEdit> edits) {
    List<ByteBuffer> whole = copies.stream().map(ByteBuffer::wrap).toList();
    return whole.isEmpty()
        ? List.of()
        : BodyEdits.apply(whole, edits).stream()
            .<DataBuffer>map(DefaultDataBufferFactory.sharedInstance::wrap)
            .toList();
  }

  /** Releases everything; the body cannot be published any more. */
  public void free() {
    synchronized (this) {
      freed = true;
      copies.clear();
      buffers.forEach(DataBufferUtils::release);
      buffers.clear();
    }
    claim.release();
  }
}
