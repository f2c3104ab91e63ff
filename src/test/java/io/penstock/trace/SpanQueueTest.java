package io.penstock.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RunningGateway;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpanQueueTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final int MOST = 4_096;

  private record Batch(int spans, CompletableResultCode result) {}

  /** An exporter that answers when the test tells it to. */
  private static final class Slow implements SpanExporter {
    private final BlockingQueue<Batch> batches = new LinkedBlockingQueue<>();
    private volatile boolean broken;

    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      if (broken) {
        throw new IllegalStateException("cannot be written");
      }
      CompletableResultCode result = new CompletableResultCode();
      batches.add(new Batch(spans.size(), result));
      return result;
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }

    Batch next() throws InterruptedException {
      return PatientWaits.take(batches);
    }
  }

  private final Slow exporter = new Slow();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final SpanQueue queue = new SpanQueue(new LostSpans(meters));
  private final SdkTracerProvider provider = provider(Sampler.alwaysOn());

  private SdkTracerProvider provider(Sampler sampler) {
    BatchSpanProcessor batches =
        BatchSpanProcessor.builder(queue.counted(exporter))
            .setMaxQueueSize(MOST)
            .setExporterTimeout(PATIENCE)
            .build();
    return SdkTracerProvider.builder()
        .setSampler(sampler)
        .addSpanProcessor(queue.bounded(batches, MOST))
        .build();
  }

  @AfterEach
  void close() {
    provider.shutdown();
  }

  private static void end(SdkTracerProvider from, int spans) {
    Tracer tracer = from.get("test");
    for (int i = 0; i < spans; i++) {
      tracer.spanBuilder("s").startSpan().end();
    }
  }

  private double lost() {
    return meters.counter("penstock.trace.spans.lost").count();
  }

  @Test
  void whatIsBeyondTheBound_isLost_andNobodyWaits() throws InterruptedException {
    end(provider, MOST);
    assertThat(lost()).isZero();
    end(provider, 1);
    assertThat(lost()).isEqualTo(1);
    Batch first = exporter.next();
    first.result().succeed();
    end(provider, first.spans());
    assertThat(lost()).isEqualTo(1);
    end(provider, 1);
    assertThat(lost()).isEqualTo(2);
  }

  @Test
  void batchThatIsNotTaken_isLost_andMakesRoom() throws InterruptedException {
    end(provider, MOST);
    Batch first = exporter.next();
    first.result().fail();
    assertThat(lost()).isEqualTo(first.spans());
    end(provider, first.spans());
    assertThat(lost()).isEqualTo(first.spans());
  }

  @Test
  void batchThatCannotBeWritten_isLost_andMakesRoom() throws InterruptedException {
    exporter.broken = true;
    end(provider, MOST);
    RunningGateway.awaiting().until(() -> lost() == MOST);
    exporter.broken = false;
    end(provider, MOST);
    assertThat(exporter.next().spans()).isPositive();
    assertThat(lost()).isEqualTo(MOST);
  }

  @Test
  void spansThatAreNotSampled_takeNoRoom() {
    SdkTracerProvider none = provider(Sampler.alwaysOff());
    end(none, MOST + 1);
    end(provider, MOST);
    assertThat(lost()).isZero();
  }
}
