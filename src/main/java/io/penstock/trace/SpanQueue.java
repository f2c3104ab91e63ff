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
 * Spans that the collector does not have yet: no more than so many, and who ends one never waits.
 * What is beyond, and what the collector does not take, is lost, and counted. Safe from any thread.
 */
final class SpanQueue implements SpanProcessor {
  /** How many there are at most, being sent or not. */
  static final int MOST = 4_096;

  private static final int BATCH = 512;
  private static final Duration OFTEN = Duration.ofSeconds(1);

  /** Is told what becomes of spans. */
  interface Lost {
    /** So many more did not reach the collector; {@code full} when they were not even sent. */
    void lost(int spans, boolean full);

    /** Some did. */
    void reached();
  }

  private final AtomicInteger inside = new AtomicInteger();
  private final Lost lost;
  private final BatchSpanProcessor batches;

  /** Sends batches to {@code exporter}, each of which may take that long. */
  SpanQueue(SpanExporter exporter, Duration patience, Lost lost) {
    this.lost = lost;
    this.batches =
        BatchSpanProcessor.builder(new Counted(exporter))
            .setMaxQueueSize(MOST + BATCH) // what is beyond our own bound never comes there
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

  /** Counts what is sent. */
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
