package io.penstock.gateway;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.Transcript;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares answers to clients with records: the calls of each dialect, permits, and what a key is
 * told about its limits.
 */
@Tag(GoldenRecords.TAG)
class ClientGoldenIT {
  private static final String ROUTES =
      """
      keys:
        - {name: alice, sha256: SHA(alice), rpm: 100, tpm: 100000}
        - {name: bare, sha256: SHA(bare)}
        - {name: bound, sha256: SHA(bound), allowed_models: [m], allowed_endpoints: [/openai]}
        - {name: late, sha256: SHA(late), expires_at: 2020-01-01}
      endpoints:
        - path: /openai
          dialect: openai
          upstreams: [{id: o, url: "mock://openai?tokens=4", models: [m, x]}]
        - path: /azure
          dialect: azure
          upstreams: [{id: z, url: "mock://openai?tokens=4"}]
        - path: /anthropic
          dialect: anthropic
          upstreams: [{id: a, url: "mock://anthropic?tokens=4", models: [m]}]
        - path: /gemini
          dialect: gemini
          upstreams: [{id: g, url: "mock://gemini?tokens=4", models: [m]}]
        - path: /plain
          dialect: none
          upstreams: [{id: p, url: "mock://openai?tokens=4"}]
        - path: /shown
          dialect: openai
          expose_upstream_limits: true
          upstreams: [{id: s, url: "mock://openai?tokens=4", rpm_limit: 600, tpm_limit: 100000}]
        - path: /beats
          dialect: openai
          heartbeat_seconds: 0.05
          upstreams: [{id: b, url: "mock://openai?tokens=4"}]
        - {path: /strict, rate: 1000, latency_compensation: 2}
        - {path: /slow, algorithm: strict, rate: 0.5, unit: rpm, queue_timeout: 2.5}
        - {path: /bucket, algorithm: token_bucket, rate: 0.001, burst_size: 10}
        - {path: /sliding, algorithm: sliding_window, rate: 1, window_seconds: 60}
        - {path: /budget, algorithm: token_window, tokens_per_window: 100, window_seconds: 86400}
        - {path: /none, algorithm: none, scheduler: priority, overflow: block}
      """;

  private static final String KEY = "x-penstock-key: alice";
  private static final String BARE = "x-penstock-key: bare";
  private static final String ID = "x-request-id: mine-7";
  private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";

  @TempDir private static Path directory;
  private static GoldenGateway gateway;

  @BeforeAll
  static void start() {
    gateway = new GoldenGateway(directory, ROUTES);
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  private static Transcript post(Transcript to, String path, String body) {
    return to.send(gateway.port(), "POST " + path, body, BARE, ID);
  }

  private static Transcript get(Transcript to, String path, String... headers) {
    return to.ask(gateway.port(), "GET " + path, headers);
  }

  @Test
  void openAi() {
    Transcript all = gateway.transcript();
    String chat = "{\"model\":\"m\",\"max_tokens\":4," + HI;
    post(all, "/openai/v1/chat/completions", chat + "}");
    post(all, "/openai/v1/chat/completions", chat + ",\"stream\":true}");
    post(
        all,
        "/openai/v1/chat/completions",
        chat + ",\"stream\":true,\"stream_options\":{\"include_usage\":true}}");
    post(all, "/openai/v1/completions", "{\"model\":\"m\",\"max_tokens\":4,\"prompt\":\"Hi\"}");
    post(all, "/openai/v1/responses", "{\"model\":\"m\",\"max_output_tokens\":4,\"input\":\"Hi\"}");
    post(
        all,
        "/openai/v1/responses",
        "{\"model\":\"m\",\"max_output_tokens\":4,\"input\":\"Hi\",\"stream\":true}");
    post(all, "/openai/v1/embeddings", "{\"model\":\"m\",\"input\":\"Hi\",\"dimensions\":2}");
    get(all, "/openai/v1/models", BARE, ID);
    get(all, "/openai/v1/nothing", BARE, ID);
    GoldenRecords.check("client/openai.http", all.text());
  }

  @Test
  void azure() {
    Transcript all = gateway.transcript();
    String path = "/azure/openai/deployments/m/";
    post(all, path + "chat/completions?api-version=1", "{\"max_tokens\":4," + HI + "}");
    post(
        all,
        path + "chat/completions?api-version=1",
        "{\"stream\":true,\"max_tokens\":4," + HI + "}");
    post(all, path + "embeddings?api-version=1", "{\"input\":\"Hi\",\"dimensions\":2}");
    GoldenRecords.check("client/azure.http", all.text());
  }

  @Test
  void anthropic() {
    Transcript all = gateway.transcript();
    String ask = "{\"model\":\"m\",\"max_tokens\":4," + HI;
    post(all, "/anthropic/v1/messages", ask + "}");
    post(all, "/anthropic/v1/messages", ask + ",\"stream\":true}");
    post(all, "/anthropic/v1/messages/count_tokens", "{\"model\":\"m\"," + HI + "}");
    get(all, "/anthropic/v1/models", BARE, ID);
    GoldenRecords.check("client/anthropic.http", all.text());
  }

  @Test
  void gemini() {
    Transcript all = gateway.transcript();
    String ask =
        "{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}],\"generationConfig\":{\"maxOutputTokens\":4}}";
    post(all, "/gemini/v1beta/models/m:generateContent", ask);
    post(all, "/gemini/v1beta/models/m:streamGenerateContent?alt=sse", ask);
    post(all, "/gemini/v1beta/models/m:streamGenerateContent", ask);
    post(
        all,
        "/gemini/v1beta/models/m:embedContent",
        "{\"content\":{\"parts\":[{\"text\":\"Hi\"}]},\"outputDimensionality\":2}");
    post(
        all,
        "/gemini/v1beta/models/m:countTokens",
        "{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}]}");
    get(all, "/gemini/v1beta/models", BARE, ID);
    GoldenRecords.check("client/gemini.http", all.text());
  }

  @Test
  void limitsOfAKey() {
    Transcript all = gateway.transcript();
    String chat = "{\"model\":\"m\",\"max_tokens\":4," + HI + "}";
    all.send(gateway.port(), "POST /openai/v1/chat/completions", chat, KEY, ID);
    all.send(gateway.port(), "POST /anthropic/v1/messages", chat, KEY, ID);
    all.send(
        gateway.port(),
        "POST /gemini/v1beta/models/m:generateContent",
        "{\"contents\":[{\"parts\":[{\"text\":\"Hi\"}]}]}",
        KEY,
        ID);
    all.send(gateway.port(), "POST /shown/v1/chat/completions", chat, KEY, ID);
    get(all, "/plain/v1/models", KEY, ID);
    get(all, "/bucket", KEY, ID);
    get(all, "/v1/penstock/status", KEY, ID);
    get(all, "/v1/penstock/status", "x-penstock-key: bound", ID);
    GoldenRecords.check("client/limits.http", all.text());
  }

  @Test
  void permits() {
    Transcript all = gateway.transcript();
    get(all, "/strict", BARE, ID);
    get(all, "/strict", BARE, ID, "X-Sent-At: 99999999999999");
    get(all, "/slow", BARE, ID);
    get(all, "/slow/a/b", BARE, ID);
    get(all, "/sliding", BARE, ID);
    get(all, "/budget?tokens=30", BARE, ID);
    get(all, "/budget?tokens=101", BARE, ID);
    get(all, "/budget", BARE, ID, "X-Token-Cost: 20");
    get(all, "/none?timeout=5", BARE, ID, "X-Priority: 3");
    for (String method : new String[] {"POST", "PUT", "DELETE", "OPTIONS", "HEAD"}) {
      if (!method.equals("HEAD")) {
        all.ask(gateway.port(), method + " /none", BARE, ID);
      }
    }
    get(all, "/strict?tokens=x", BARE, ID);
    get(all, "/strict?tokens=1&tokens=2", BARE, ID);
    get(all, "/strict?timeout=-1", BARE, ID);
    get(all, "/strict", BARE, ID, "X-Priority: high");
    GoldenRecords.check("client/permits.http", all.text());
  }

  @Test
  void whoMayNotComeIn() {
    Transcript all = gateway.transcript();
    for (String path :
        new String[] {
          "/openai/v1/models",
          "/azure/openai/models",
          "/anthropic/v1/models",
          "/gemini/v1beta/models",
          "/plain/a",
          "/strict",
          "/nowhere",
          "/v1/penstock/status"
        }) {
      get(all, path, ID);
    }
    get(all, "/openai/v1/models", ID, "Authorization: Bearer wrong");
    get(all, "/openai/v1/models", ID, "x-api-key: late");
    get(all, "/openai/v1/models", ID, "x-api-key: alice", "api-key: bare");
    get(all, "/openai/v1/models?key=bare", ID);
    get(all, "/openai/v1/models", ID, "x-goog-api-key: bare");
    get(all, "/nowhere", ID, BARE);
    get(all, "/anthropic/v1/models", ID, "x-penstock-key: bound");
    get(all, "/openai/a%00", ID, BARE);
    get(all, "/openai/../a", ID, BARE);
    get(all, "/strict/a%2Fb", ID, BARE);
    get(all, "/openai/v1/models", ID, BARE, "Transfer-Encoding: gzip");
    all.ask(gateway.port(), "GET openai", ID, BARE);
    GoldenRecords.check("client/doors.http", all.text());
  }

  @Test
  void heartbeats() {
    Transcript all = gateway.transcript();
    String chat = "{\"model\":\"m\",\"stream\":true,\"max_tokens\":4," + HI + "}";
    String path = "/beats/v1/chat/completions";
    gateway.endpoint(path).pause(true);
    try (ByteSocket byteSocket = gateway.parked(path, "POST " + path, chat, BARE, ID)) {
      var head = byteSocket.head();
      all.note("POST " + path + "\n" + chat + "\n\n" + Transcript.shown(head));
      all.note("first chunk: " + byteSocket.chunk().replace("\n", "\\n"));
      gateway.endpoint(path).pause(false);
      StringBuilder rest = new StringBuilder();
      for (String chunk = byteSocket.chunk(); !chunk.isEmpty(); chunk = byteSocket.chunk()) {
        rest.append(chunk.replaceFirst("^: .*\n\n", ""));
      }
      all.note(rest.toString());
    } finally {
      gateway.endpoint(path).pause(false);
    }
    GoldenRecords.check("client/heartbeats.http", all.text());
  }
}
