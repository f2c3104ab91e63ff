package io.penstock.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Records requests as spans, and sends them to a collector by OTLP from threads of its own. Safe
 * from any thread.
 */
public final class OtlpTracing implements RequestTracing, AutoCloseable {
  private static final String QUEUE_SIZE = "otel.bsp.max.queue.size";
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  /** Longest wait for the last spans when the program ends. */
  private static final int LAST_SECONDS = 2;

  private static final TextMapGetter<HttpHeaders> GETTER =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(HttpHeaders headers) {
          return headers.headerNames();
        }

        @Override
        public @Nullable String get(@Nullable HttpHeaders headers, String name) {
          return headers == null ? null : headers.getFirst(name);
        }
      };

  private final OpenTelemetrySdk sdk;
  private final TextMapPropagator propagator;
  private final Tracer tracer;
  private final TraceExamples examples;

  /**
   * Starts to send spans.
   *
   * @param meters counts the spans that do not reach the collector
   * @param examples receives the tickets that belong to sampled traces
   */
  public OtlpTracing(TraceSettings settings, MeterRegistry meters, TraceExamples examples) {
    this(settings, new LostSpans(meters), examples);
  }

  /**
   * Starts to send spans.
   *
   * @param lost receives the number of spans that do not reach the collector
   * @param examples receives the tickets that belong to sampled traces
   */
  OtlpTracing(TraceSettings settings, SpanQueue.Lost lost, TraceExamples examples) {
    this.examples = examples;
    this.sdk = sdk(settings, new SpanQueue(lost));
    this.propagator = sdk.getPropagators().getTextMapPropagator();
    this.tracer = sdk.getTracer("io.penstock");
  }

  private static OpenTelemetrySdk sdk(TraceSettings settings, SpanQueue queue) {
    return AutoConfiguredOpenTelemetrySdk.builder()
        .disableShutdownHook()
        .addPropertiesCustomizer(read -> settings.properties())
        .addSpanExporterCustomizer((exporter, read) -> queue.counted(exporter))
        .addSpanProcessorCustomizer(
            (batches, read) -> queue.bounded(batches, read.getInt(QUEUE_SIZE, 0)))
        .build()
        .getOpenTelemetrySdk();
  }

  /**
   * Returns what is wrong with settings, or null if traces can be sent with them. Nothing is sent.
   */
  public static @Nullable String problem(TraceSettings settings) {
    try {
      sdk(settings, new SpanQueue(SpanQueue.Lost.NONE)).close();
      return null;
    } catch (ConfigurationException | IllegalArgumentException bad) {
      return bad.getMessage();
    }
  }

  @Override
  public RequestTrail begin(String method, String path, HttpHeaders headers) {
    String upper = method.toUpperCase(Locale.ROOT);
    boolean known = METHODS.contains(upper);
    Context parent = propagator.extract(Context.root(), headers, GETTER);
    Span span =
        tracer
            .spanBuilder(known ? upper : "HTTP")
            .setSpanKind(SpanKind.SERVER)
            .setParent(parent)
            .setAttribute(METHOD, known ? upper : "_OTHER")
            .setAttribute(PATH, path)
            .startSpan();
    return new SpanTrail(
        tracer, propagator, examples, span, parent.with(span), known ? upper : "HTTP");
  }

  @Override
  public void close() {
    sdk.shutdown().join(LAST_SECONDS, TimeUnit.SECONDS);
  }
}
