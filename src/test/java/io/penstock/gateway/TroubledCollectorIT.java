package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.fake.TraceCollector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Tests that requests are not affected when a collector of traces is in trouble. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
@Order(2) // takes long
class TroubledCollectorIT extends HostileCase {
  private static final String LOST = "traces: the collector does not take spans, they are lost";
  private static final String AGAIN = "traces: the collector takes spans again";

  private final TraceCollector traceCollector = TraceCollector.start();

  @Override
  String routes() {
    return "endpoints: [{path: /openai, dialect: openai, upstreams: [{id: o, url: '%1$s'}]}]";
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--OTEL_EXPORTER_OTLP_ENDPOINT=" + traceCollector.url(),
      "--management.opentelemetry.tracing.export.otlp.timeout=2s",
      "--management.tracing.sampling.probability=1"
    };
  }

  @AfterAll
  void stopCollector() {
    traceCollector.close();
  }

  private void served() throws InterruptedException {
    assertThat(post(CHAT, ASK).status()).isEqualTo(200);
    upstream.received();
  }

  private long linesWith(String line) {
    return logged.lines().stream().filter(each -> each.contains(line)).count();
  }

  /** Serves requests while the collector follows the script, until spans are lost. */
  private void survives(RawUpstream.Script script) throws InterruptedException {
    traceCollector.script(script);
    int before = traceCollector.connections();
    served();
    served();
    RunningGateway.awaiting().until(() -> traceCollector.connections() > before);
    served(); // while it is being called
    RunningGateway.awaiting().until(() -> linesWith(LOST) > 0);
    int later = traceCollector.connections();
    served();
    RunningGateway.awaiting().until(() -> traceCollector.connections() > later);
    assertThat(linesWith(LOST)).isEqualTo(1);
    traceCollector.script(traceCollector.takes);
    RunningGateway.awaiting()
        .until(
            () -> {
              served();
              return linesWith(AGAIN) > 0;
            });
    assertThat(linesWith(LOST)).isEqualTo(1);
    assertThat(linesWith(AGAIN)).isEqualTo(1);
  }

  @Test
  void collectorThatHangs() throws InterruptedException {
    survives((self, byteSocket) -> byteSocket.awaitEnd());
  }

  @Test
  void collectorThatRefuses() throws InterruptedException {
    survives(
        (self, byteSocket) -> {
          byteSocket.request();
          byteSocket.send(
              "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        });
  }

  @Test
  void collectorThatCloses() throws InterruptedException {
    survives((self, byteSocket) -> {});
  }

  @Test
  void collectorThatAnswersNonsense() throws InterruptedException {
    survives(
        (self, byteSocket) -> {
          byteSocket.request();
          byteSocket.send("nonsense\r\n\r\n");
        });
  }
}
