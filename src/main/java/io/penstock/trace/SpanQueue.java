package io.penstock.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Bounds and counts the spans that wait for the collector, around OpenTelemetry's processor and
 * exporter, which would drop spans without telling. Spans that find the queue full, and those that
 * the collector does not accept, are lost and counted. Safe from any thread.
 */
final class SpanQueue {
  /** Receives the outcome of spans. */
  interface Lost {
    /**
     * Spans did not reach the collector; {@code full} if they found the queue full and were never
     * sent.
     */
    void lost(int spans, boolean full);

    /** Spans reached the collector. */
    void reached();

    /** Counts nothing. */
    Lost NONE =
        new Lost() {
          @Override
          public void lost(int spans, boolean full) {}

          @Override
          public void reached() {}
        };
  }

  private final AtomicInteger inside = new AtomicInteger();
  private final Lost lost;

  SpanQueue(Lost lost) {
    this.lost = lost;
  }

  /**
   * Returns a processor that hands spans to {@code batches}, which never blocks, while fewer than
   * {@code most} are inside. That includes those being sent, so the queue of {@code batches} is
   * never full if it holds as many.
   */
  SpanProcessor bounded(SpanProcessor batches, int most) {
    return new Bounded(batches, most);
  }

  /** Returns an exporter that sends spans by {@code exporter} and counts those that fail. */
  SpanExporter counted(SpanExporter exporter) {
    return new Counted(exporter);
  }

  private final class Bounded implements SpanProcessor {
    private final SpanProcessor batches;
    private final int most;

    Bounded(SpanProcessor batches, int most) {
      this.batches = batches;
      this.most = most;
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
      if (inside.incrementAndGet() > most) {
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
  }

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
