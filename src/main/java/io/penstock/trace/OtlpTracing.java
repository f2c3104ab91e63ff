package io.penstock.trace;

import io.micrometer.core.instrument.MeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
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
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");
  private static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");

  /** Maximum length of an attribute's value, because clients may send values of any length. */
  private static final int LONGEST_VALUE = 512;

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  /**
   * Retries a batch if there is no connection, the connection breaks, or the answer is 429, 502,
   * 503 or 504; not after the timeout is over.
   */
  private static final RetryPolicy AGAIN =
      RetryPolicy.builder()
          .setMaxAttempts(5)
          .setInitialBackoff(Duration.ofMillis(500))
          .setBackoffMultiplier(2)
          .setMaxBackoff(Duration.ofSeconds(2))
          .build();

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

  private final SdkTracerProvider provider;
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
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(settings.endpoint().toString())
            .setTimeout(settings.timeout())
            .setConnectTimeout(settings.timeout())
            .setRetryPolicy(AGAIN);
    settings.headers().forEach(exporter::addHeader);
    Duration patience = settings.timeout().plus(AGAIN.getMaxBackoff());
    this.provider =
        SdkTracerProvider.builder()
            .setResource(Resource.getDefault().toBuilder().put(SERVICE, settings.service()).build())
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(settings.share())))
            .setSpanLimits(SpanLimits.builder().setMaxAttributeValueLength(LONGEST_VALUE).build())
            .addSpanProcessor(new SpanQueue(exporter.build(), patience, lost))
            .build();
    this.tracer = provider.get("io.penstock");
  }

  @Override
  public RequestTrail begin(String method, String path, HttpHeaders headers) {
    String upper = method.toUpperCase(Locale.ROOT);
    boolean known = METHODS.contains(upper);
    Context parent =
        W3CTraceContextPropagator.getInstance().extract(Context.root(), headers, GETTER);
    Span span =
        tracer
            .spanBuilder(known ? upper : "HTTP")
            .setSpanKind(SpanKind.SERVER)
            .setParent(parent)
            .setAttribute(METHOD, known ? upper : "_OTHER")
            .setAttribute(PATH, path)
            .startSpan();
    return new SpanTrail(tracer, examples, span, parent.with(span), known ? upper : "HTTP");
  }

  @Override
  public void close() {
    provider.shutdown().join(LAST_SECONDS, TimeUnit.SECONDS);
  }
}
