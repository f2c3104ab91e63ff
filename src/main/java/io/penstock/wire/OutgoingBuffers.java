package io.penstock.wire;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Buffers to be sent in steps of about equal size. Owns those that are not yet sent. */
public final class OutgoingBuffers {
  private final Deque<DataBuffer> rest;
  private final int stepBytes;
  private final int steps;

  /**
   * Takes over {@code buffers}; a step is the smallest number of them that has {@code stepBytes}.
   */
  public OutgoingBuffers(List<DataBuffer> buffers, int stepBytes) {
    this.rest = new ArrayDeque<>(buffers);
    this.stepBytes = stepBytes;
    int full = 0;
    int bytes = 0;
    for (DataBuffer buffer : buffers) {
      bytes += buffer.readableByteCount();
      if (bytes >= stepBytes) {
        full++;
        bytes = 0;
      }
    }
    this.steps = full + 1;
  }

  /** Returns the buffers, once: the first step immediately, the others when {@code later} runs. */
  public Flux<DataBuffer> flow(Executor later) {
    Flux<DataBuffer> step = Flux.defer(() -> Flux.fromIterable(next()));
    if (steps == 1) {
      return step;
    }
    Scheduler turns = Schedulers.fromExecutor(later);
    Flux<DataBuffer> turn = step.subscribeOn(turns, false);
    return Flux.range(0, steps).concatMap(at -> at == 0 ? step : turn, 1);
  }

  private synchronized List<DataBuffer> next() {
    List<DataBuffer> step = new ArrayList<>();
    int bytes = 0;
    while (bytes < stepBytes && !rest.isEmpty()) {
      DataBuffer buffer = rest.remove();
      bytes += buffer.readableByteCount();
      step.add(buffer);
    }
    return step;
  }

  /** Releases the buffers that are not yet sent. */
  public synchronized void close() {
    rest.forEach(DataBufferUtils::release);
    rest.clear();
  }
}
