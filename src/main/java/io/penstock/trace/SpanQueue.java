package io.penstock.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounded queue of spans that wait for the collector. Ending a span never blocks. Spans that find
 * the queue full, and those that the collector does not accept, are lost and counted. Safe from any
 * thread.
 */
final class SpanQueue implements SpanProcessor {
  /** Maximum number of spans in the queue, including those being sent. */
  static final int MOST = 4_096;

  private static final int BATCH = 512;
  private static final Duration OFTEN = Duration.ofSeconds(1);

  /** Receives the outcome of spans. */
  interface Lost {
    /**
     * Spans did not reach the collector; {@code full} if they found the queue full and were never
     * sent.
     */
    void lost(int spans, boolean full);

    /** Spans reached the collector. */
    void reached();
  }

  private final AtomicInteger inside = new AtomicInteger();
  private final Lost lost;
  private final BatchSpanProcessor batches;

  /**
   * Creates a queue that sends batches to {@code exporter}, with a timeout of slightly more than
   * {@code patience} for each.
   */
  SpanQueue(SpanExporter exporter, Duration patience, Lost lost) {
    this.lost = lost;
    this.batches =
        BatchSpanProcessor.builder(new Counted(exporter))
            .setMaxQueueSize(MOST + BATCH) // never reached, because of the bound checked above
            .setMaxExportBatchSize(BATCH)
            .setScheduleDelay(OFTEN)
            .setExporterTimeout(patience.plusSeconds(1))
            .build();
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {}

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!span.getSpanContext().isSampled()) {
      return;
    }
    if (inside.incrementAndGet() > MOST) {
      inside.decrementAndGet();
      lost.lost(1, true);
    } else {
      batches.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return batches.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return batches.forceFlush();
  }

  /** Counts the spans that are exported. */
  private final class Counted implements SpanExporter {
    private final SpanExporter exporter;

    Counted(SpanExporter exporter) {
      this.exporter = exporter;
    }

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      int size = spans.size();
      CompletableResultCode sent = send(spans);
      return sent.whenComplete(
          () -> {
            inside.addAndGet(-size);
            if (sent.isSuccess()) {
              lost.reached();
            } else {
              lost.lost(size, false);
            }
          });
    }

    private CompletableResultCode send(Collection<SpanData> spans) {
      try {
        return exporter.export(spans);
      } catch (RuntimeException cannotBeSent) {
        return CompletableResultCode.ofFailure();
      }
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }
}
