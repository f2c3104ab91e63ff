package io.penstock.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.TraceCollector;
import java.net.URI;
import java.time.Duration;
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
  private final TraceCollector traceCollector = TraceCollector.start();

  @AfterEach
  void stop() {
    traceCollector.close();
  }

  private OtlpTracing sending(Duration timeout) {
    URI there = URI.create(traceCollector.url() + "/v1/traces");
    TraceSettings settings = new TraceSettings(there, Map.of(), timeout, 1, "penstock");
    return new OtlpTracing(settings, losses, TraceExamples.NONE);
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
    assertThat(traceCollector.connections()).isEqualTo(1);
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
}
