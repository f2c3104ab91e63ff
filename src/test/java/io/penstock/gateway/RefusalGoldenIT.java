package io.penstock.gateway;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.GoldenGateway;
import io.penstock.fake.GoldenRecords;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.Transcript;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares refusals of real requests with records: their sentences, and the times that they advise.
 */
@Tag(GoldenRecords.TAG)
class RefusalGoldenIT {
  private static final String KEYS =
      """
      groups:
        - {name: g-rpm, rpm: 1, on_limit: reject}
        - {name: g-tpm, tpm: 20, on_limit: reject}
        - {name: g-rpd, rpd: 1, on_limit: reject}
        - {name: g-budget, budget_tokens_per_day: 20, on_limit: reject}
        - {name: g-month, budget_tokens_per_month: 20, on_limit: reject}
      keys:
        - {name: any, sha256: SHA(any)}
        - {name: bound, sha256: SHA(bound), allowed_models: [m], allowed_endpoints: [/openai]}
        - {name: rpm, sha256: SHA(rpm), rpm: 1, on_limit: reject}
        - {name: tpm, sha256: SHA(tpm), tpm: 20, on_limit: reject}
        - {name: rpd, sha256: SHA(rpd), rpd: 1, on_limit: reject}
        - {name: many, sha256: SHA(many), concurrency: 1, on_limit: reject}
        - {name: budget, sha256: SHA(budget), budget_tokens_per_day: 20, on_limit: reject}
        - {name: of-rpm, sha256: SHA(of-rpm), group: g-rpm}
        - {name: of-tpm, sha256: SHA(of-tpm), group: g-tpm}
        - {name: of-rpd, sha256: SHA(of-rpd), group: g-rpd}
        - {name: of-budget, sha256: SHA(of-budget), group: g-budget}
        - {name: of-month, sha256: SHA(of-month), group: g-month}
        - {name: model, sha256: SHA(model), models: {m: {rpm: 1}}, on_limit: reject}
      models: {scarce: {rpd: 1}}
      """
          .replace("{rpd: 1}}\n", "{max_rpd: 1}}\n");

  private static final String ENDPOINTS =
      """
      endpoints:
        - path: /openai
          dialect: openai
          upgrade: refuse
          max_body_bytes: 1000
          max_upload_bytes: 1000
          upstreams: [{id: o, url: "mock://openai?tokens=4", models: [m, scarce]}]
        - path: /day
          dialect: openai
          upstreams: [{id: d, url: "mock://openai?tokens=4", rpd: 1}]
        - path: /small
          dialect: anthropic
          upstreams: [{id: s, url: "mock://anthropic?tokens=4", itpm: 100}]
        - path: /gone
          dialect: gemini
          upstreams: [{id: n, url: "http://127.0.0.1:1"}]
        - path: /off
          dialect: anthropic
          upstreams: [{id: f, url: "http://127.0.0.1:1", api_key: "${NEVER_SET_ANYWHERE}"}]
        - path: /queue
          rate: 1
          unit: rpm
          max_queue_size: 1
          queue_timeout: 600
        - path: /wait
          rate: 1
          unit: rpm
          queue_timeout: 0.2
        - {path: /short, algorithm: none, queue_timeout: 0.2}
        - {path: /held, algorithm: none}
        - {path: /thrown, algorithm: none}
      """;

  private static final String ID = "x-request-id: mine-7";
  private static final String HI = "\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";
  private static final String CHAT = "{\"model\":\"m\",\"max_tokens\":4," + HI + "}";
  private static final String PATH = "/openai/v1/chat/completions";

  @TempDir private static Path directory;
  private static GoldenGateway gateway;

  @BeforeAll
  static void start() {
    gateway = new GoldenGateway(directory, KEYS + ENDPOINTS);
  }

  @AfterAll
  static void stop() {
    gateway.close();
  }

  @BeforeEach
  void awaitLongDay() {
    PatientWaits.awaitLongDay(); // budgets of a day are spent
  }

  /**
   * Replaces the times above a minute: whoever is refused second is told to come a minute later.
   */
  private static String withoutLateTimes(Transcript all) {
    return all.text()
        .replaceAll("(?i)(\nretry-after(?:-ms)?: )1[0-2]\\d(?:\\d{3})?(?=\n)", "$1<up to 122 s>");
  }

  private static String key(String name) {
    return "x-penstock-key: " + name;
  }

  private static Transcript post(Transcript to, String key, String path, String body) {
    return to.send(gateway.port(), "POST " + path, body, key(key), ID);
  }

  @Test
  void requestsThatAreWrong() {
    Transcript all = gateway.transcript();
    post(all, "any", PATH, "{\"model\":");
    post(all, "any", PATH, "[]");
    post(all, "tpm", PATH, "{\"model\":\"m\",\"max_tokens\":\"many\"," + HI + "}");
    post(all, "any", PATH, "{\"model\":\"other\"," + HI + "}");
    post(all, "any", PATH, "{\"model\":\"m\",\"a\":\"" + "x".repeat(1_000) + "\"}");
    post(all, "any", "/openai/v1/files", "x".repeat(1_001));
    post(all, "bound", PATH, "{\"model\":\"scarce\"," + HI + "}");
    post(all, "bound", "/openai/v1/files", "x");
    post(all, "bound", "/small/v1/messages", CHAT);
    post(all, "any", "/small/v1/messages", "{\"model\":");
    post(all, "any", "/small/v1/messages", CHAT.replace("Hi", "word ".repeat(400)));
    post(all, "any", "/gone/v1beta/models/m:generateContent", "{\"contents\":");
    post(all, "any", "/off/v1/messages", CHAT);
    all.ask(
        gateway.port(),
        "GET /openai/v1/realtime?model=m",
        key("any"),
        ID,
        "Upgrade: websocket",
        "Connection: Upgrade");
    post(all, "any", "/gone/v1beta/models/m:generateContent", "{\"contents\":[]}");
    GoldenRecords.check("client/refused-requests.http", all.text());
  }

  @Test
  void limitsOfKeysAndGroups() {
    Transcript all = gateway.transcript();
    for (String key : new String[] {"rpm", "tpm", "rpd", "of-rpm", "of-tpm", "of-rpd", "model"}) {
      post(all, key, PATH, CHAT);
      post(all, key, PATH, CHAT);
      post(all, key, PATH, CHAT);
    }
    GoldenRecords.check("client/refused-keys.http", withoutLateTimes(all));
  }

  /** The rest of a day or a month depends on the date, so it is replaced. */
  @Test
  void budgetsOfDaysAndMonths() {
    Transcript all = gateway.transcript();
    for (String key : new String[] {"budget", "of-budget", "of-month"}) {
      for (int i = 0; i < 3; i++) {
        post(all, key, PATH, CHAT);
      }
    }
    String text =
        all.text()
            .replaceAll("(?i)(\nretry-after: )(?!1\n)\\S.*", "$1<until the budget's end>")
            .replaceAll("(?i)(\nretry-after-ms: )(?!1000\n)\\S.*", "$1<until the budget's end>")
            .replaceAll("(\nx-ratelimit-reset-tokens: ).*", "$1<until the budget's end>")
            .replaceAll(";t=[^,\\n]*", ";t=<until the budget's end>");
    GoldenRecords.check("client/refused-budgets.http", text);
  }

  @Test
  void limitsOfAModelAndAnUpstreamByTheDay() {
    Transcript all = gateway.transcript();
    String scarce = CHAT.replace("\"m\"", "\"scarce\"");
    post(all, "any", PATH, scarce);
    post(all, "any", PATH, scarce);
    post(all, "any", "/day/v1/chat/completions", CHAT);
    post(all, "any", "/day/v1/chat/completions", CHAT);
    GoldenRecords.check("client/refused-days.http", all.text());
  }

  @Test
  void queues() {
    Transcript all = gateway.transcript();
    String any = key("any");
    all.ask(gateway.port(), "GET /queue", any, ID);
    try (ByteSocket waits = gateway.parked("/queue", "GET /queue", "", any, ID)) {
      all.ask(gateway.port(), "GET /queue", any, ID);
      waits.reset();
    }
    all.ask(gateway.port(), "GET /wait", any, ID);
    all.ask(gateway.port(), "GET /wait", any, ID);
    all.ask(gateway.port(), "GET /wait?timeout=1", any, ID);
    gateway.endpoint("/short").pause(true);
    all.ask(gateway.port(), "GET /short", any, ID);
    gateway.endpoint("/held").pause(true);
    String many = key("many");
    try (ByteSocket waits = gateway.parked("/held", "GET /held", "", many, ID)) {
      all.ask(gateway.port(), "GET /held", many, ID);
      waits.reset();
    }
    GoldenRecords.check("client/refused-queues.http", withoutLateTimes(all));
  }

  @Test
  void waitsThatAnOperatorEnds() {
    Transcript all = gateway.transcript();
    gateway.endpoint("/thrown").pause(true);
    gateway.parkedUntil(
        all,
        "/thrown",
        "GET /thrown",
        "",
        () -> gateway.started().operator("DELETE /tickets/" + gateway.ticket("/thrown")),
        key("any"),
        "x-request-id: mine-8");
    GoldenRecords.check("client/refused-by-operator.http", all.text());
  }
}
