package io.penstock.metrics;

import static io.penstock.fake.PatientWaits.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MetricsScrape;
import io.penstock.fake.RedisServer;
import io.penstock.fake.StartedGateway;
import io.penstock.key.KeySecrets;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A gateway on which everything has happened that is counted, together with a Redis. */
final class EventfulGateway implements AutoCloseable {
  static final String ROUTES =
      """
      endpoints:
        - path: /demo
          dialect: openai
          upstreams:
            - id: up
              url: mock://openai?tokens=4
              rpm_limit: 1200
        - path: /throttled
          dialect: anthropic
          queue_timeout: 4
          upstreams:
            - id: strict
              url: mock://anthropic?tokens=4&rpm=1&latency=2s
              rpm_limit: 1200
        - path: /busy
          dialect: openai
          queue_timeout: 1
          upstreams:
            - {id: single, url: "mock://openai?tokens=4&latency=2s", concurrency: 1}
        - path: /away
          dialect: gemini
          upstreams:
            - {id: gone, url: "http://127.0.0.1:1"}
        - path: /sliced
          algorithm: token_window
          tokens_per_window: 1000
          window_seconds: 10
        - path: /slow
          rate: 1
          unit: rpm
          sharing: local
          max_queue_size: 1
        - path: /shadow
          rate: 1
          unit: rpm
          sharing: local
          shadow: true
      """;

  private static final String SECRET = "eventful";
  private static final String KEY = "x-api-key: " + SECRET;
  private static final String KEYS =
      "keys: [{name: someone, sharing: local, budget_tokens_per_day: 1000000, sha256: "
          + KeySecrets.sha256(SECRET)
          + "}]\n";

  private final RedisServer redis;
  private final StartedGateway gateway;
  private final Socket waits;

  /**
   * Starts it, and makes everything happen.
   *
   * @param more arguments for measurements that have to be switched on
   */
  EventfulGateway(Path directory, String... more) throws IOException {
    redis = RedisServer.started();
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.add("--penstock.redis.url=" + redis.url());
    gateway = StartedGateway.start(directory, KEYS + ROUTES, arguments.toArray(String[]::new));
    post("/demo/v1/chat/completions", chat("m"));
    post("/demo/v1/chat/completions", chat("m").replaceFirst("}$", ",\"stream\":true}"));
    post("/demo/v1/chat/completions", "{\"model\":");
    post("/demo/v1/embeddings?timeout=1", "{\"model\":\"m\",\"input\":\"Hi\"}");
    // at the same time: the answer to the first would teach that there is no room for a second
    try (Socket one = posted("/throttled/v1/messages", chat("claude"));
        Socket other = posted("/throttled/v1/messages", chat("claude"));
        Socket served = posted("/busy/v1/chat/completions", chat("m"));
        Socket late = posted("/busy/v1/chat/completions", chat("m"))) {
      readAll(one);
      readAll(other);
      readAll(served);
      readAll(late);
    }
    post(
        "/away/v1beta/models/g:generateContent", "{\"contents\":[{\"parts\":[{\"text\":\"a\"}]}]}");
    gateway.gateway("GET /sliced?tokens=2", KEY);
    gateway.gateway("GET /slow?tokens=2", KEY);
    gateway.gateway("GET /shadow", KEY);
    gateway.gateway("GET /shadow", KEY);
    waits = StartedGateway.open(gateway.port(), "GET /slow?tokens=5", KEY);
    await()
        .untilAsserted(
            () ->
                assertThat(scrape().sum("penstock_queue_depth", Map.of("endpoint", "/slow")))
                    .isEqualTo(1));
    gateway.gateway("GET /slow?tokens=5", KEY);
    StartedGateway.write(directory, KEYS + ROUTES + "  - {path: /more}\n");
    gateway.operator("POST /reload", "Content-Length: 0");
    StartedGateway.write(directory, KEYS + ROUTES + "  - {pat: /more}\n");
    gateway.operator("POST /reload", "Content-Length: 0");
  }

  private static String chat(String model) {
    return "{\"model\":\"%s\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]}"
        .formatted(model);
  }

  /** Sends a request and reads its whole answer. */
  private void post(String path, String body) throws IOException {
    try (Socket socket = posted(path, body)) {
      readAll(socket);
    }
  }

  private Socket posted(String path, String body) throws IOException {
    Socket socket =
        StartedGateway.open(
            gateway.port(), "POST " + path, "Content-Length: " + body.length(), KEY);
    socket.getOutputStream().write(body.getBytes(UTF_8));
    return socket;
  }

  private static void readAll(Socket socket) throws IOException {
    assertThat(socket.getInputStream().readAllBytes()).isNotEmpty();
  }

  MetricsScrape scrape() {
    return MetricsScrape.of(gateway.operatorPort());
  }

  @Override
  public void close() throws IOException {
    waits.close();
    gateway.close();
    redis.close();
  }
}
