package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests upstreams whose provider refuses the gateway's account, or stands behind a Cloudflare that
 * cannot reach it: they end each request at once, and must not draw the requests of others.
 *
 * <p>Each first segment of a path is an endpoint, and each second one an upstream of it.
 */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class BrokenAccountIT extends HostileCase {
  private static final List<String> SECRETS =
      List.of("sk-one-0001", "sk-two-0002", "sk-three-0003");
  private static final List<String> MODELS = List.of("m", "n");
  private static final String PROBE = "probe";
  private static final String CREDIT =
      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to"
          + " upgrade or purchase credits.";

  /** Answers of broken upstreams, by the names of their endpoints. */
  private static final Map<String, String> BROKEN = broken();

  private static Map<String, String> broken() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(
        "401", openAi(401, "Incorrect API key provided: sk-abc. Find yours.", "invalid_api_key"));
    all.put("402", openAi(402, "Insufficient Balance", "invalid_request_error"));
    all.put(
        "403",
        openAi(
            403,
            "Country, region, or territory not supported",
            "unsupported_country_region_territory"));
    all.put("bare401", answer(401, "text/plain", ""));
    all.put("400credit", anthropic(400, "invalid_request_error", CREDIT));
    all.put("429spent", openAi(429, "You exceeded your current quota", "insufficient_quota"));
    for (int status : new int[] {520, 521, 522, 523, 524, 525, 526, 527, 530}) {
      all.put("" + status, answer(status, "text/html", "<html>error code: " + status + "</html>"));
    }
    return all;
  }

  private static String openAi(int status, String message, String code) {
    return answer(
        status,
        "application/json",
        "{\"error\":{\"message\":\"%s\",\"type\":\"x\",\"param\":null,\"code\":\"%s\"}}"
            .formatted(message, code));
  }

  private static String anthropic(int status, String type, String message) {
    return answer(
        status,
        "application/json",
        "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\"}}"
            .formatted(type, message));
  }

  private static String answer(int status, String type, String body) {
    return ("HTTP/1.1 %d X\r\n"
            + "Content-Type: %s\r\n"
            + "Connection: close\r\n"
            + "Content-Length: %d\r\n\r\n"
            + "%s")
        .formatted(status, type, body.length(), body);
  }

  /**
   * The senders of all calls and {@link #PROBE}s, by the path of the upstream, as {@code /401/a}.
   */
  private final ConcurrentMap<String, List<String>> calls = new ConcurrentHashMap<>();

  private final ConcurrentMap<String, String> answers = new ConcurrentHashMap<>();

  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("keys:\n");
    for (String secret : SECRETS) {
      routes.append(
          "  - {name: %s, sha256: %s}\n"
              .formatted(secret.substring(3, 6), KeyedRequestsIT.sha256(secret)));
    }
    routes.append("models:\n  rare: {fallback: [m], fallback_after: 60}\nendpoints:\n");
    for (String name : BROKEN.keySet()) {
      routes.append(endpoint(name, dialect(name), "", "a", "b"));
      routes.append(endpoint("wave" + name, dialect(name), "", "a", "b"));
    }
    routes.append(endpoint("three", "openai", "", "a", "b", "c"));
    routes.append(endpoint("shadow", "openai", "shadow: true", "a", "b"));
    for (String each : List.of("none", "list", "stream", "other")) {
      routes.append(endpoint(each, each.equals("none") ? "none" : "openai", "", "a", "b"));
    }
    for (String each : List.of("openai", "anthropic", "gemini", "mistral", "azure")) {
      routes.append(endpoint("one-" + each, each, "", "a"));
    }
    for (String each : List.of("request", "poison", "words", "lost", "free", "upload")) {
      routes.append(endpoint("one-" + each, "openai", "", "a"));
    }
    routes.append(
        """
          - path: /own
            dialect: openai
            upstreams: [{id: own, url: "%1$s/own/a", api_key: passthrough}]
          - path: /plain
            dialect: none
            upstreams: [{id: plain, url: "%1$s/plain/a"}]
          - path: /fallback
            dialect: openai
            upstreams:
              - {id: fallback-a, url: "%1$s/fallback/a", api_key: k, models: [rare]}
              - {id: fallback-b, url: "%1$s/fallback/b", api_key: k, models: [m]}
        """);
    return routes.toString();
  }

  private static String dialect(String name) {
    return name.endsWith("credit") ? "anthropic" : "openai";
  }

  private static String endpoint(String name, String dialect, String more, String... upstreams) {
    StringBuilder text =
        new StringBuilder(
            "  - path: /%s\n    dialect: %s\n".formatted(name, dialect)
                + (more.isEmpty() ? "" : "    " + more + "\n")
                + "    upstreams:\n");
    for (String each : upstreams) {
      text.append(
          "      - {id: %1$s-%2$s, url: \"%%1$s/%1$s/%2$s\", api_key: \"${SECRET}\"}\n"
              .formatted(name, each));
    }
    return text.toString();
  }

  /** Answers as {@link #answers} says by the path of the upstream, and well by default. */
  private void serve(RawUpstream self, ByteSocket socket) {
    HttpMessage request = socket.request();
    String[] path = request.target().split("/", 4);
    String at = "/" + path[1] + "/" + path[2];
    boolean probe = "penstock-probe".equals(request.header("user-agent"));
    String sender = probe ? PROBE : Objects.requireNonNullElse(request.header("x-sender"), "");
    calls.computeIfAbsent(at, absent -> new CopyOnWriteArrayList<>()).add(sender);
    socket.send(probe ? OK : answers.getOrDefault(at, OK));
  }

  private void broken(String upstreamPath, String answer) {
    answers.put(upstreamPath, answer);
    upstream.script(this::serve);
  }

  /** Returns the number of calls; probes are not among them. */
  private long calls(String upstreamPath) {
    return calls.getOrDefault(upstreamPath, List.of()).stream()
        .filter(sender -> !sender.equals(PROBE))
        .count();
  }

  /**
   * Asserts that at most three calls found out that an upstream is broken, and as many after each
   * probe; only where one key had sent all of them did it take until the first call of another.
   */
  private void assertHardlyAnyCalls(String upstreamPath) {
    List<String> all = calls.getOrDefault(upstreamPath, List.of());
    assertThat(calls(upstreamPath)).isPositive();
    int begin = 0;
    for (int at = 0; at <= all.size(); at++) {
      if (at == all.size() || all.get(at).equals(PROBE)) {
        List<String> stretch = all.subList(begin, at);
        long senders = stretch.stream().limit(Math.max(0, at - begin - 1)).distinct().count();
        assertThat(stretch.size() <= 3 || senders == 1).as("%s", all).isTrue();
        begin = at + 1;
      }
    }
  }

  private static String call(String dialect, String model) {
    return switch (dialect) {
      case "anthropic" -> "/v1/messages";
      case "gemini" -> "/v1beta/models/" + model + ":generateContent";
      case "azure" -> "/openai/deployments/" + model + "/chat/completions?api-version=2024-10-21";
      default -> "/v1/chat/completions";
    };
  }

  private HttpMessage send(String secret, String target, String body) {
    return ask(
        ("POST %1$s HTTP/1.1\r\nHost: a\r\nx-penstock-key: %2$s\r\nx-sender: %2$s\r\n"
                + "x-penstock-timeout: 30\r\nContent-Type: application/json\r\n"
                + "Content-Length: %3$d\r\n\r\n%4$s")
            .formatted(target, secret, body.length(), body));
  }

  private HttpMessage chat(String secret, String name, String model) {
    return send(
        secret, "/" + name + call(dialect(name), model), ASK.replace("\"m\"", "\"" + model + "\""));
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
  }

  private String operator() {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket
          .send(
              "GET /upstreams HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
                  .formatted(gateway.operatorPort()))
          .answer()
          .text();
    }
  }

  static List<String> ways() {
    return List.copyOf(BROKEN.keySet());
  }

  /** Sends requests of three keys for two models, one after the other; all have to be served. */
  private void load(String name, int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (String secret : SECRETS) {
        for (String model : MODELS) {
          assertThat(chat(secret, name, model).status()).isEqualTo(200);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void oneOfTwoUpstreamsIsBroken_noClientNotices_andItGetsHardlyAnyCalls(String name) {
    String at = "/" + name + "/a";
    broken(at, Objects.requireNonNull(BROKEN.get(name)));
    load(name, 20);
    assertHardlyAnyCalls(at);
    assertThat(calls("/" + name + "/b")).isEqualTo(120);
    assertThat(upstreamOf(name + "-a").health().onTrial()).isTrue();
    assertThat(upstreamOf(name + "-b").health().onTrial()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"401", "402", "403", "400credit", "429spent"})
  void manyRequestsMeetTheRefusalAtTheSameTime_allAreServedElsewhere(String name) throws Exception {
    String wave = "wave" + name;
    broken("/" + wave + "/a", Objects.requireNonNull(BROKEN.get(name)));
    List<CompletableFuture<Integer>> sent = new ArrayList<>();
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int each = 0; each < 60; each++) {
        String secret = SECRETS.get(each % 3);
        sent.add(CompletableFuture.supplyAsync(() -> chat(secret, wave, "m").status(), pool));
      }
      for (CompletableFuture<Integer> each : sent) {
        assertThat(PatientWaits.get(each)).isEqualTo(200);
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "openai | 401 | Incorrect API key provided: sk-proj-****abcd. Find it at"
            + " https://x.com/keys. | 401 Incorrect API key provided: ***. Find it at"
            + " https://x.com/keys.",
        "anthropic | 400 | Your credit balance is too low to access the Anthropic API. | 400 Your"
            + " credit balance is too low to access the Anthropic API.",
        "gemini | 403 | Permission denied: Consumer 'api_key:AIzaSyA1' has been suspended. | 403"
            + " Permission denied: Consumer *** has been suspended.",
        "mistral | 402 | Payment needed | 402 Payment needed",
        "azure | 401 | Access denied due to invalid subscription key or wrong API endpoint. | 401"
            + " Access denied due to invalid subscription key or wrong API endpoint.",
      })
  void noOtherUpstream_clientIsToldByTheGateway_neverByTheProvidersOwnStatus(
      String dialect, int status, String message, String told) {
    String name = "one-" + dialect;
    broken("/" + name + "/a", openAi(status, message, "x"));
    for (int each = 0; each < 6; each++) {
      HttpMessage answer = send(SECRETS.get(each % 3), "/" + name + call(dialect, "m"), ASK);
      refused(answer, 502, "upstream_account");
      assertThat(answer.header("x-should-retry")).isEqualTo("false");
      assertThat(answer.header("retry-after")).isNull();
      assertThat(answer.text()).contains("refuses the account").contains(told);
      assertThat(answer.text()).doesNotContain("sk-proj", "AIza");
    }
    assertThat(upstreamOf(name + "-a").health().onTrial()).isTrue();
    assertThat(calls("/" + name + "/a")).isLessThan(6);
    assertThat(operator()).contains("{\"what\":\"account refused: " + told + "\"");
    assertThat(logged.lines())
        .anyMatch(
            line -> line.contains("upstream " + name + "-a: unhealthy (account refused: " + told));
    MetricsScrape scrape = MetricsScrape.of(gateway.operatorPort());
    assertThat(scrape.sum("penstock_upstream_account_refused", Map.of("upstream", name + "-a")))
        .isOne();
    assertThat(scrape.sum("penstock_upstream_account_refused", Map.of("upstream", "other-a")))
        .isZero();
  }

  @Test
  void accountThatWorksAgain_isUsedAgain() {
    broken("/other/a", Objects.requireNonNull(BROKEN.get("402")));
    broken("/other/b", Objects.requireNonNull(BROKEN.get("401")));
    while (!upstreamOf("other-a").health().onTrial() || !upstreamOf("other-b").health().onTrial()) {
      refused(chat(SECRETS.get(0), "other", "m"), 502, "upstream_account");
    }
    answers.remove("/other/a");
    RunningGateway.awaiting().until(() -> chat(SECRETS.get(0), "other", "m").status() == 200);
    assertThat(upstreamOf("other-a").health().onTrial()).isFalse();
  }

  @Test
  void twoOfThreeUpstreamsAreBroken_noClientNotices() {
    broken("/three/a", Objects.requireNonNull(BROKEN.get("401")));
    broken("/three/b", Objects.requireNonNull(BROKEN.get("400credit")));
    load("three", 5);
    assertHardlyAnyCalls("/three/a");
    assertHardlyAnyCalls("/three/b");
  }

  @Test
  void endpointInShadowMode_goesElsewhere() {
    broken("/shadow/a", Objects.requireNonNull(BROKEN.get("401")));
    load("shadow", 3);
    assertHardlyAnyCalls("/shadow/a");
  }

  @Test
  void nobodyKnowsTheDialect_theStatusHasToDo() {
    broken("/none/a", Objects.requireNonNull(BROKEN.get("401")));
    long lost = 0; // bodies that nobody reads cannot be sent again
    for (int each = 0; each < 20; each++) {
      HttpMessage answer = send(SECRETS.get(each % 3), "/none/x", "{}");
      lost += answer.status() == 200 ? 0 : 1;
      assertThat(answer.status()).isIn(200, 502);
    }
    assertThat(lost).isEqualTo(calls("/none/a"));
    assertHardlyAnyCalls("/none/a");
  }

  @Test
  void callsThatAreNotWeighed_goElsewhere() {
    broken("/list/a", Objects.requireNonNull(BROKEN.get("401")));
    for (int each = 0; each < 12; each++) {
      String head =
          "Host: a\r\nx-penstock-key: %1$s\r\nx-sender: %1$s\r\nContent-Length: 0\r\n\r\n"
              .formatted(SECRETS.get(each % 3));
      String path = each % 2 == 0 ? "models" : "files/f-" + each;
      assertThat(ask("GET /list/v1/" + path + " HTTP/1.1\r\n" + head).status()).isEqualTo(200);
    }
    assertHardlyAnyCalls("/list/a");
  }

  @Test
  void streamIsRefused_goesElsewhere() {
    broken("/stream/a", Objects.requireNonNull(BROKEN.get("402")));
    for (String secret : SECRETS) {
      String body = ASK.replace("{\"model\"", "{\"stream\":true,\"model\"");
      assertThat(send(secret, "/stream/v1/chat/completions", body).status()).isEqualTo(200);
    }
  }

  @Test
  void otherModelMayServe_itDoes() {
    broken("/fallback/a", Objects.requireNonNull(BROKEN.get("403")));
    for (int each = 0; each < 5; each++) {
      HttpMessage answer = chat(SECRETS.get(each % 3), "fallback", "rare");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("x-penstock-upstream")).isEqualTo("fallback-b/m");
    }
    assertHardlyAnyCalls("/fallback/a");
  }

  @Test
  void uploadThatCannotBeSentAgain_isToldByTheGateway() {
    broken("/one-upload/a", Objects.requireNonNull(BROKEN.get("401")));
    HttpMessage answer = send(SECRETS.get(0), "/one-upload/v1/files", "x".repeat(100_000));
    refused(answer, 502, "upstream_account");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(ints = {400, 401, 402, 403, 429})
  void credentialOfTheClientIsRefused_theAnswerPassesAsItCame(int status) {
    String answer = openAi(status, "insufficient_quota: Incorrect API key provided", "x");
    broken("/own/a", answer);
    for (int each = 0; each < 5; each++) {
      HttpMessage passed =
          ask(
              ("POST /own/v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\n"
                      + "Authorization: Bearer theirs\r\nContent-Length: %d\r\n\r\n%s")
                  .formatted(SECRETS.get(each % 3), ASK.length(), ASK));
      assertThat(passed.status()).isEqualTo(status);
      assertThat(answer).endsWith(passed.text());
    }
    assertThat(upstreamOf("own").health().onTrial()).isFalse();
  }

  @Test
  void nobodyKnowsTheDialect_andNoCredentialIsConfigured_theAnswerPassesAsItCame() {
    broken("/plain/a", Objects.requireNonNull(BROKEN.get("401")));
    for (int each = 0; each < 5; each++) {
      assertThat(send(SECRETS.get(each % 3), "/plain/x", "{}").status()).isEqualTo(401);
    }
    assertThat(upstreamOf("plain").health().onTrial()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // OpenRouter, "Errors": 403 for input that a moderated model flags
        "403 | Your chosen model requires moderation and your input was flagged | 403",
        // OpenAI, "Error codes": a project without a model
        "403 | Project `proj_x` does not have access to model `gpt-4o` | model_not_found",
        // Amazon Bedrock, "Troubleshooting API error codes"
        "403 | You don't have access to the model with the specified model ID. | AccessDenied",
        "404 | The model `m` does not exist or you do not have access to it. | model_not_found",
        "400 | Invalid value: 'credit balance is too low'. Supported values are: 'a' | invalid",
      })
  void requestItselfIsRefused_theAnswerPassesAsItCame_andTheUpstreamStaysHealthy(
      int status, String message, String code) {
    String answer = openAi(status, message, code);
    broken("/one-request/a", answer);
    for (int each = 0; each < 6; each++) {
      HttpMessage passed = chat(SECRETS.get(each % 3), "one-request", "m");
      assertThat(passed.status()).isEqualTo(status);
      assertThat(answer).endsWith(passed.text());
    }
    assertThat(upstreamOf("one-request-a").health().onTrial()).isFalse();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {"400 Your credit balance is too low", "401 Invalid API key", "403 Forbidden"})
  void oneTenantProvokesRefusals_othersLoseNothing(String refusal) {
    String hostile = SECRETS.get(0);
    String other = SECRETS.get(1);
    String answer = openAi(Integer.parseInt(refusal.substring(0, 3)), refusal.substring(4), "x");
    upstream.script(
        (self, socket) -> {
          HttpMessage request = socket.request();
          socket.send(request.text().contains("poison") ? answer : OK);
        });
    assertThat(chat(other, "one-poison", "m").status()).isEqualTo(200);
    for (int each = 0; each < 10; each++) {
      refused(chat(hostile, "one-poison", "poison"), 502, "upstream_account");
      refused(chat(hostile, "one-poison", "poison"), 502, "upstream_account");
      assertThat(chat(other, "one-poison", "m").status()).isEqualTo(200);
      assertThat(upstreamOf("one-poison-a").health().onTrial()).isFalse();
    }
  }

  @Test
  void callsThatCostNothingAreServed_theAccountStaysRefusedForOthers() {
    upstream.script(
        (self, socket) -> {
          HttpMessage request = socket.request();
          boolean free = request.start().startsWith("GET ");
          socket.send(free ? OK : Objects.requireNonNull(BROKEN.get("402")));
        });
    String list = "GET /one-free/v1/models HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\n\r\n";
    for (int each = 0; each < 3; each++) {
      refused(chat(SECRETS.get(0), "one-free", "m"), 502, "upstream_account");
      if (each < 2) {
        assertThat(ask(list.formatted(SECRETS.get(0))).status()).isEqualTo(200);
      }
    }
    assertThat(upstreamOf("one-free-a").health().onTrial()).isTrue();
  }

  @Test
  void echoedWordsOfAClient_areShownToNobody() {
    broken(
        "/one-words/a",
        openAi(403, "Access denied for '" + PROMPT + "' with Bearer abc123 to sk-12", "denied"));
    HttpMessage answer = chat(SECRETS.get(0), "one-words", "m");
    refused(answer, 502, "upstream_account");
    assertThat(answer.text()).contains("403 Access denied for *** with Bearer *** to ***");
    assertThat(operator()).doesNotContain(PROMPT).contains("account refused: 403 Access denied");
  }

  @Test
  void modelThatServedBefore_isLost_operatorsAreTold_andTheUpstreamStaysHealthy() {
    broken("/one-lost/a", openAi(404, "The model `m` does not exist", "model_not_found"));
    assertThat(chat(SECRETS.get(0), "one-lost", "m").status()).isEqualTo(404);
    assertThat(lost()).as("it was never served").isZero();
    answers.remove("/one-lost/a");
    assertThat(chat(SECRETS.get(0), "one-lost", "m").status()).isEqualTo(200);
    broken("/one-lost/a", openAi(404, "The model `m` does not exist", "model_not_found"));
    for (int each = 0; each < 5; each++) {
      assertThat(chat(SECRETS.get(0), "one-lost", "m").status()).isEqualTo(404);
    }
    assertThat(lost()).isOne();
    assertThat(logged.lines())
        .containsOnlyOnce(
            "WARN io.penstock.upstream upstream one-lost-a, m: it was served before, and the"
                + " provider does not know it any more");
    assertThat(upstreamOf("one-lost-a").health().onTrial()).isFalse();
    answers.remove("/one-lost/a");
    assertThat(chat(SECRETS.get(0), "one-lost", "m").status()).isEqualTo(200);
    assertThat(lost()).isZero();
  }

  private long lost() {
    return upstreamOf("one-lost-a").lostModels();
  }
}
