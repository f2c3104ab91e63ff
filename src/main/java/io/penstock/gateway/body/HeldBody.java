package io.penstock.gateway.body;

import io.penstock.json.Edit;
import io.penstock.json.Edits;
import io.penstock.wire.Duplicates;
import io.penstock.wire.Outflow;
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
 * The body of a request while the gateway has it. It is held in the buffers it came in; one that
 * waits is copied once, to its exact size, because a slice would pin a whole chunk of its pool; a
 * large one in steps, between which its event loop serves others. Safe from any thread.
 */
public final class HeldBody {
  /** About how much is copied or sent at once: 0.2 ms of an event loop. */
  static final int STEP_BYTES = 512 << 10;

  /** The first of the bytes, if they were copied. */
  private final List<byte[]> copies = new ArrayList<>();

  /** The bytes after those, in the buffers they came in. */
  private final Deque<DataBuffer> buffers = new ArrayDeque<>();

  private final BodyBudget.Claim claim;
  private long size;
  private boolean freed;

  /** Makes an empty body. */
  public HeldBody(BodyBudget.Claim claim) {
    this.claim = claim;
  }

  /** Says how long it will be; negative when that is not known. */
  void expect(long statedBytes, long mostBytes) {
    claim.expect(statedBytes, mostBytes);
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
  public synchronized long size() {
    return size;
  }

  /**
   * Has it wait in a queue, out of the buffers it came in. Returns false, and does nothing, where
   * bodies that wait hold all they may.
   */
  public boolean park(Executor later) {
    boolean parked = claim.park();
    if (parked) {
      detach(later);
    }
    return parked;
  }

  /**
   * Copies the bytes out of their buffers and lets those go: some of them now, others when {@code
   * later} comes to it.
   */
  public void detach(Executor later) {
    if (step()) {
      later.execute(() -> detach(later));
    }
  }

  /** Says that it does not wait any more. */
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
   * Returns the body with some of its bytes changed, as often as it is asked for until it is freed.
   * A large one comes in steps, the first at once, the others when {@code later} comes to them:
   * what a socket takes without waiting would otherwise all be written in one go.
   */
  public Flux<DataBuffer> publish(DataBufferFactory factory, List<Edit> edits, Executor later) {
    if (edits.isEmpty()) {
      return stepwise(() -> parts(factory), later);
    }
    // the pieces may outlive what they are pieces of, so they are of a copy
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

  /**
   * Returns the body, as often as it is asked for, when it is in one buffer as it came; or null.
   */
  public synchronized @Nullable Mono<DataBuffer> onePiece(NettyDataBufferFactory factory) {
    boolean one = copies.isEmpty() && buffers.size() == 1 && size <= STEP_BYTES;
    return one ? Mono.fromSupplier(() -> first(factory)) : null;
  }

  /** Returns the one buffer, or null when the body was freed since. */
  private synchronized @Nullable DataBuffer first(NettyDataBufferFactory factory) {
    List<DataBuffer> parts = parts(factory);
    return parts.isEmpty() ? null : parts.getFirst();
  }

  /** Returns the body at once, as often as it is asked for until it is freed. */
  public Flux<DataBuffer> publish(DataBufferFactory factory) {
    return stepwise(() -> parts(factory), Runnable::run);
  }

  private static Flux<DataBuffer> stepwise(Callable<List<DataBuffer>> parts, Executor later) {
    return Flux.using(
            () -> new Outflow(parts.call(), STEP_BYTES), each -> each.flow(later), Outflow::close)
        .doOnDiscard(PooledDataBuffer.class, DataBufferUtils::release);
  }

  private synchronized List<DataBuffer> parts(DataBufferFactory factory) {
    List<DataBuffer> parts = new ArrayList<>(copies.size() + buffers.size());
    copies.forEach(copy -> parts.add(factory.wrap(copy)));
    for (DataBuffer buffer : buffers) {
      parts.add(Duplicates.of(buffer, factory));
    }
    return parts;
  }

  private synchronized List<DataBuffer> edited(List<Edit> edits) {
    List<ByteBuffer> whole = copies.stream().map(ByteBuffer::wrap).toList();
    return whole.isEmpty()
        ? List.of()
        : Edits.apply(whole, edits).stream()
            .<DataBuffer>map(DefaultDataBufferFactory.sharedInstance::wrap)
            .toList();
  }

  /** Lets everything go; the body cannot be published any more. */
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
