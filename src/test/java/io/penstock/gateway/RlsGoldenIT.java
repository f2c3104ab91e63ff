package io.penstock.gateway;

import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.Transcript;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the answers of a configuration of rls with records, including unreadable parameters and
 * unknown paths.
 */
@Tag(GoldenRecords.TAG)
class RlsGoldenIT {
  private static final String ROUTES =
      """
      server: {host: 127.0.0.1, port: 1}
      defaults: {rate: 1000, unit: rps, max_queue_size: 7}
      endpoints:
        - {path: /api, scheduler: priority, burst_size: 0}
        - {path: /slow, rate: 1, unit: rpm, queue_timeout: 5}
        - {path: /tokens, algorithm: token_window, tokens_per_window: 100, window_seconds: 86400,
           default_tokens: 10}
      """;

  private static final String ID = "x-request-id: mine-7";

  @TempDir private Path directory;

  @Test
  void answers() {
    try (GoldenGateway gateway = new GoldenGateway(directory, ROUTES)) {
      Transcript all = gateway.transcript();
      int port = gateway.port();
      all.ask(port, "GET /api", ID);
      all.ask(port, "GET /", ID);
      all.ask(port, "GET /elsewhere", ID);
      all.ask(port, "GET /api?tokens=many&timeout=soon", ID, "X-Priority: high");
      all.ask(port, "GET /api", ID, "X-Token-Cost: -5", "X-Timeout: never", "X-Sent-At: x");
      all.ask(port, "GET /slow", ID);
      all.ask(port, "GET /slow", ID);
      all.ask(port, "GET /tokens", ID);
      all.ask(port, "GET /tokens?tokens=30", ID);
      all.ask(port, "GET /tokens?tokens=101", ID);
      all.ask(port, "GET /tokens?tokens=90&timeout=1", ID);
      GoldenRecords.check("client/rls.http", all.text());
    }
  }
}
