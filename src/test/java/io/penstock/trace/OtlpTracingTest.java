package io.penstock.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.TraceCollector;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;

/** Fate of spans that the collector does not accept at once. */
class OtlpTracingTest {
  private static final class Losses implements SpanQueue.Lost {
    private final AtomicInteger spans = new AtomicInteger();

    @Override
    public void lost(int more, boolean full) {
      spans.addAndGet(more);
    }

    @Override
    public void reached() {}
  }

  private final Losses losses = new Losses();
  private final TraceExamples exemplars =
      new TraceExamples() {
        @Override
        public void begun(long ticket, String traceId, String spanId) {}

        @Override
        public void ended(long ticket) {}
      };
  private final TraceCollector traceCollector = TraceCollector.start();

  @AfterEach
  void stop() {
    traceCollector.close();
  }

  private OtlpTracing sending(Duration timeout) {
    return new OtlpTracing(settings(timeout, Map.of()), losses, exemplars);
  }

  private TraceSettings settings(Duration timeout, Map<String, String> others) {
    Map<String, String> named = new HashMap<>(others);
    named.put("otel.exporter.otlp.endpoint", traceCollector.url());
    named.put("otel.exporter.otlp.timeout", Long.toString(timeout.toMillis()));
    named.putIfAbsent("otel.traces.sampler", "parentbased_always_on");
    return TraceSettings.of(named);
  }

  private static void follow(OtlpTracing tracing) {
    RequestTrail trail = tracing.begin("GET", "/a", new HttpHeaders());
    trail.ended(200, null);
  }

  /** Handles the first connection with {@code once}, and accepts the spans of the others. */
  private void comesThroughAfter(RawUpstream.Script once) {
    AtomicInteger calls = new AtomicInteger();
    traceCollector.script(
        (self, byteSocket) ->
            (calls.getAndIncrement() == 0 ? once : traceCollector.takes).serve(self, byteSocket));
    try (OtlpTracing tracing = sending(Duration.ofSeconds(20))) {
      follow(tracing);
      RunningGateway.awaiting().until(() -> !traceCollector.spans().isEmpty());
    }
    assertThat(traceCollector.spans()).hasSize(1);
    assertThat(calls).hasValue(2);
    assertThat(losses.spans).hasValue(0);
  }

  @Test
  void batchWhoseConnectionIsReset_isSentAgain() {
    comesThroughAfter(
        (self, byteSocket) -> {
          byteSocket.request();
          byteSocket.reset();
        });
  }

  @Test
  void batchWhoseConnectionIsClosedUnread_isSentAgain() {
    comesThroughAfter((self, byteSocket) -> {});
  }

  @Test
  void batchThatIsRefusedForNow_isSentAgain() {
    comesThroughAfter(
        (self, byteSocket) -> {
          byteSocket.request();
          byteSocket.send(
              "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
  }

  @Test
  void batchThatIsRefusedForGood_isLost_andNotSentAgain() {
    traceCollector.script(
        (self, byteSocket) -> {
          byteSocket.request();
          byteSocket.send(
              "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
    try (OtlpTracing tracing = sending(Duration.ofSeconds(20))) {
      follow(tracing);
      RunningGateway.awaiting().until(() -> losses.spans.get() > 0);
    }
    assertThat(losses.spans).hasValue(1);
    assertThat(traceCollector.connections()).isEqualTo(1);
  }

  @Test
  void collectorThatNeverAnswers_isAskedForAsLongAsTheTimeout_thenItsBatchIsLost() {
    traceCollector.script((self, byteSocket) -> byteSocket.awaitEnd());
    try (OtlpTracing tracing = sending(Duration.ofMillis(300))) {
      follow(tracing);
      RunningGateway.awaiting().until(() -> losses.spans.get() > 0);
    }
    assertThat(losses.spans).hasValue(1);
    assertThat(traceCollector.connections())
        .as("none if the machine takes longer than the timeout to connect")
        .isLessThanOrEqualTo(1);
  }

  @Test
  void whereThereIsNoCollector_allIsLost_andCounted() {
    traceCollector.close();
    try (OtlpTracing tracing = sending(Duration.ofSeconds(1))) {
      follow(tracing);
      follow(tracing);
      RunningGateway.awaiting().until(() -> losses.spans.get() == 2);
    }
    assertThat(losses.spans).hasValue(2);
  }

  @Test
  void spansBeyondTheBound_areLost_andCounted() {
    traceCollector.script((self, byteSocket) -> byteSocket.awaitEnd());
    TraceSettings twoAtMost =
        settings(Duration.ofSeconds(1), Map.of("otel.bsp.max.queue.size", "2"));
    try (OtlpTracing tracing = new OtlpTracing(twoAtMost, losses, exemplars)) {
      for (int i = 0; i < 5; i++) {
        follow(tracing);
      }
      assertThat(losses.spans).hasValue(3);
    }
  }

  @Test
  void samplerThatIsNamed_decides() {
    TraceSettings none =
        settings(Duration.ofSeconds(1), Map.of("otel.traces.sampler", "always_off"));
    try (OtlpTracing tracing = new OtlpTracing(none, losses, exemplars)) {
      follow(tracing);
    }
    assertThat(traceCollector.connections()).isZero();
  }

  @Test
  void propagatorThatIsNamed_readsAndWritesItsHeaders() {
    String trace = "80f198ee56343ba864fe8b2a57d3eff7";
    TraceSettings zipkin = settings(Duration.ofSeconds(1), Map.of("otel.propagators", "b3"));
    DefaultHttpHeaders sent = new DefaultHttpHeaders();
    sent.set("b3", "the client's");
    sent.set("traceparent", "the client's");
    try (OtlpTracing tracing = new OtlpTracing(zipkin, losses, exemplars)) {
      HttpHeaders received = new HttpHeaders();
      received.set("b3", trace + "-e457b5a2e4d86bd1-1");
      RequestTrail trail = tracing.begin("GET", "/a", received);
      assertThat(trail.traceId()).isEqualTo(trace);
      trail.setTraceHeaders(sent);
      trail.ended(200, null);
    }
    assertThat(sent.getAll("b3")).singleElement().asString().startsWith(trace + "-");
    assertThat(sent.get("traceparent")).isEqualTo("the client's");
  }

  @Test
  void settingsThatCannotBeUsed_areReported() {
    Duration timeout = Duration.ofSeconds(1);
    assertThat(OtlpTracing.problem(settings(timeout, Map.of()))).isNull();
    assertThat(OtlpTracing.problem(settings(timeout, Map.of("otel.bsp.schedule.delay", "soon"))))
        .contains("otel.bsp.schedule.delay");
    assertThat(OtlpTracing.problem(settings(timeout, Map.of("otel.traces.sampler", "some"))))
        .contains("otel.traces.sampler");
    assertThat(OtlpTracing.problem(settings(timeout, Map.of("otel.propagators", "pigeon"))))
        .contains("pigeon");
    assertThat(traceCollector.connections()).isZero();
  }
}
