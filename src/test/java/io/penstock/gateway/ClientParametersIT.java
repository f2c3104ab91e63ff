package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.MetricsScrape;
import io.penstock.fake.RawUpstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tests which parameters of a client the gateway reads, which it leaves to the upstream, and that
 * those left to the upstream do not go unnoticed.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class ClientParametersIT extends HostileCase {
  private static final String METRIC = "penstock_parameters_ignored_total";
  private static final List<String> LONG_NAMES =
      List.of(
          "x-penstock-timeout", "x-penstock-tokens", "x-penstock-priority", "x-penstock-sent-at");

  private static final String SHORT_HEADERS =
      "X-Timeout: soon\r\nX-PRIORITY: urgent\r\nx-token-cost: 5\r\nX-Token-Cost: many\r\n"
          + "X-Sent-At: never\r\n";
  private static final String LONG_HEADERS =
      "X-PenStock-Timeout: 30\r\nx-penstock-tokens: 3\r\nX-PENSTOCK-PRIORITY: 2\r\n"
          + "x-penstock-sent-at: 1\r\n";

  private static final String ENDPOINTS =
      """
      endpoints:
        - path: /openai
          dialect: openai
          scheduler: priority
          priority_aging_seconds: 0
          upstreams: [{id: o, url: "%1$s", concurrency: 1}]
        - path: /short
          dialect: openai
          short_parameters: true
          upstreams: [{id: s, url: "%1$s"}]
        - path: /plain
          upstreams: [{id: p, url: "%1$s"}]
        - path: /max
          dialect: openai
          cost_from: max
          upstreams: [{id: m, url: "%1$s"}]
        - path: /first
          dialect: openai
          upstreams: [{id: f, url: "%1$s"}]
        - path: /dyn
          dialect: openai
          dynamic: true
          upstreams: [{id: d, url: "%1$s"}]
        - path: /changed
          dialect: openai
          upstreams: [{id: c, url: "%1$s"}]
        - {path: /permit, algorithm: none}
        - {path: /long, algorithm: none, short_parameters: false}
      """;

  @Override
  String routes() {
    return ENDPOINTS;
  }

  /** Returns a POST with more headers. */
  private static String request(String target, String headers, String body) {
    return ByteSocket.request("POST", target, body)
        .replace("Host: penstock\r\n", "Host: penstock\r\n" + headers);
  }

  private HttpMessage get(String target, String headers) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: penstock\r\n" + headers + "\r\n");
  }

  private static void assertUntouched(HttpMessage asked) {
    assertThat(asked.all("x-timeout")).containsExactly("soon");
    assertThat(asked.all("x-priority")).containsExactly("urgent");
    assertThat(asked.all("x-token-cost")).containsExactly("5", "many");
    assertThat(asked.all("x-sent-at")).containsExactly("never");
  }

  private static void assertWithoutLongNames(HttpMessage asked) {
    assertThat(LONG_NAMES).allSatisfy(name -> assertThat(asked.header(name)).isNull());
  }

  @Test
  void shortNames_reachTheUpstreamAsTheyCame() throws InterruptedException {
    String query = "?timeout=soon&&tokens=x&tokens=2&%74imeout=&x-penstock-timeout=x&=";
    assertThat(ask(request(CHAT + query, SHORT_HEADERS, ASK)).status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/v1/chat/completions" + query);
    assertUntouched(asked);
  }

  @Test
  void longNames_inAnyCapitals_areReadAndRemoved() throws InterruptedException {
    assertThat(ask(request(CHAT, LONG_HEADERS, ASK)).status()).isEqualTo(200);
    assertWithoutLongNames(upstream.received());
    HttpMessage plain = ask(request("/plain/x?timeout=9", LONG_HEADERS + SHORT_HEADERS, ""));
    assertThat(plain.header("x-penstock-cost")).isEqualTo("3");
    HttpMessage asked = upstream.received();
    assertWithoutLongNames(asked);
    assertThat(asked.target()).isEqualTo("/plain/x?timeout=9".substring("/plain".length()));
    assertThat(asked.header("x-token-cost")).as("cost_from is query").isNull();
    assertThat(asked.all("x-timeout")).containsExactly("soon");
  }

  @ParameterizedTest
  @ValueSource(strings = {"?", "?&", "?a=1&a=2&&b", "?u=http://x/?y=*&%4A=%c3%a9"})
  void queryWithNothingForTheGateway_reachesTheUpstreamByteForByte(String query)
      throws InterruptedException {
    assertThat(ask(request(CHAT + query, "", ASK)).status()).isEqualTo(200);
    assertThat(upstream.received().target()).isEqualTo("/v1/chat/completions" + query);
  }

  @Test
  void waitThatTheClientStatesAtLength_endsItsWait_andAShortOneDoesNot() {
    gateway.endpoint(CHAT).pause(true);
    try {
      refused(ask(request(CHAT, "x-penstock-timeout: 0.05\r\n", ASK)), 429, "queue_timeout");
      try (ByteSocket waits =
          connect().send(request(CHAT + "?timeout=0", "X-Timeout: 0.05\r\n", ASK))) {
        gateway.await(CHAT, TicketFate.WAITING, 1);
        refused(ask(request(CHAT, "x-penstock-timeout: 0.2\r\n", ASK)), 429, "queue_timeout");
        assertThat(gateway.count(CHAT, TicketFate.WAITING)).isEqualTo(1);
        waits.reset();
      }
      gateway.await(CHAT, TicketFate.WAITING, 0);
    } finally {
      gateway.endpoint(CHAT).pause(false);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "x-penstock-timeout: soon",
    "x-penstock-tokens: 99999999999999999999",
    "x-penstock-priority: 99999999999999999999",
    "'x-penstock-priority: 1\r\nX-Penstock-Priority: 1'",
    "'x-penstock-priority: 1,1'"
  })
  void longNameThatCannotBeRead_isRefusedAtEveryEndpoint(String header) {
    for (String target : List.of(CHAT, "/plain/x", "/permit", "/long")) {
      HttpMessage answer = ask(request(target, header + "\r\n", ASK));
      refused(answer, 400, "bad_request");
      assertThat(answer.text()).contains("x-penstock-");
    }
  }

  @Test
  void shortParameters_whereTheEndpointWantsThem_areReadAndRemoved() throws InterruptedException {
    String good = "X-Timeout: 9\r\nX-Priority: 3\r\nX-Token-Cost: 5\r\nX-Sent-At: 1\r\n";
    String chat = "/short/v1/chat/completions";
    assertThat(ask(request(chat + "?a&timeout=8&tokens=4", good, ASK)).status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/v1/chat/completions?a");
    assertThat(List.of("x-timeout", "x-priority", "x-token-cost", "x-sent-at"))
        .allSatisfy(name -> assertThat(asked.header(name)).isNull());
    refused(ask(request(chat, "X-Priority: high\r\n", ASK)), 400, "bad_request");
    refused(ask(request(chat + "?tokens=1&tokens=1", "", ASK)), 400, "bad_request");
    assertThat(ignored("/short")).isEmpty();
  }

  @Test
  void costFromQueryOrMax_takesTheShortCostAndNothingElse() throws InterruptedException {
    HttpMessage answer = get("/plain/x?tokens=7&timeout=soon", "X-Priority: urgent\r\n");
    assertThat(answer.header("x-penstock-cost")).isEqualTo("7");
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/x?timeout=soon");
    assertThat(asked.header("x-priority")).isEqualTo("urgent");
    HttpMessage more = ask(request("/max/v1/embeddings", "X-Token-Cost: 900\r\n", EMBED));
    assertThat(more.header("x-penstock-cost")).isEqualTo("900");
    assertThat(upstream.received().header("x-token-cost")).isNull();
    refused(get("/plain/x?tokens=1&tokens=2", ""), 400, "bad_request");
    refused(get("/max/x", "X-Token-Cost: many\r\n"), 400, "bad_request");
  }

  private static final String EMBED = "{\"model\":\"m\",\"input\":\"" + PROMPT + "\"}";

  @Test
  void permitEndpoint_readsBothForms() {
    assertThat(get("/permit?timeout=1&tokens=2", "X-Priority: 3\r\n").status()).isEqualTo(200);
    assertThat(get("/permit", "x-penstock-sent-at: 1\r\n").text()).contains("network_latency_ms");
    refused(get("/permit?tokens=x", ""), 400, "bad_request");
    assertThat(get("/permit?tokens=x", "x-penstock-tokens: 2\r\n").status()).isEqualTo(200);
    assertThat(ignored("/permit")).isEmpty();
    assertThat(get("/long", "X-Priority: high\r\n").status()).isEqualTo(200);
    assertThat(ignored("/long")).containsEntry("X-Priority", 1L);
  }

  @Test
  void connectionToBecomeAWebSocket_isTreatedTheSame() throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}"));
    String upgrade =
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    HttpMessage answer =
        get("/openai/v1/realtime?timeout=soon&model=m", upgrade + SHORT_HEADERS + LONG_HEADERS);
    assertThat(answer.status()).isEqualTo(403);
    HttpMessage asked = upstream.received();
    assertThat(asked.header("upgrade")).isEqualTo("websocket");
    assertThat(asked.target()).isEqualTo("/v1/realtime?timeout=soon&model=m");
    assertUntouched(asked);
    assertWithoutLongNames(asked);
    refused(
        get("/openai/v1/realtime", upgrade + "x-penstock-priority: high\r\n"), 400, "bad_request");
  }

  @Test
  void uploadInParts_isTreatedTheSame() throws InterruptedException {
    String parts =
        "--b\r\nContent-Disposition: form-data; name=\"file\"\r\nX-Priority: 7\r\n\r\nx\r\n--b--";
    String upload =
        "POST %s?timeout=soon HTTP/1.1\r\nHost: penstock\r\n".formatted(FILES)
            + "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: "
            + parts.length()
            + "\r\n"
            + SHORT_HEADERS
            + LONG_HEADERS
            + "\r\n"
            + parts;
    assertThat(ask(upload).status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/v1/files?timeout=soon");
    assertThat(asked.text()).isEqualTo(parts);
    assertUntouched(asked);
    assertWithoutLongNames(asked);
  }

  /**
   * A priority in the short form was honoured here before, and is not any more: the request goes
   * last, and the log, the metric and the operator port all say why.
   */
  @Test
  void priorityThatIsNotHonouredAnyMore_isMadeVisible() throws InterruptedException {
    String path = "/first";
    gateway.endpoint(path).pause(true);
    String chat = path + "/v1/chat/completions";
    try (ByteSocket urgent = connect().send(request(chat, "X-Priority: 9\r\n", ASK))) {
      gateway.await(path, TicketFate.WAITING, 1);
      assertThat(lines(path))
          .singleElement()
          .asString()
          .startsWith("WARN io.penstock.parameters endpoint /first: a request carries X-Priority,")
          .contains("x-penstock-priority", "short_parameters: true", METRIC);
      assertThat(ignored(path)).containsExactly(Map.entry("X-Priority", 1L));
      assertThat(counted(path, "X-Priority")).isEqualTo(1);
      gateway.endpoint(path).pause(false);
      assertThat(urgent.answer().status()).isEqualTo(200);
    }
    upstream.received();
    for (int more = 0; more < 3; more++) {
      ask(request(chat + "?timeout=1", "x-priority: 1\r\n", ASK));
      upstream.received();
    }
    assertThat(lines(path)).as("one line for each endpoint").hasSize(1);
    assertThat(ignored(path))
        .containsExactly(Map.entry("?timeout", 3L), Map.entry("X-Priority", 4L));
    assertThat(counted(path, "X-Priority")).isEqualTo(4);
    assertThat(counted(path, "?timeout")).isEqualTo(3);
    ask(request(chat, "X-Priority: 1\r\nx-penstock-priority: 1\r\n", ASK));
    upstream.received();
    assertThat(counted(path, "X-Priority")).as("what is said at length, too, counts").isEqualTo(4);
  }

  @Test
  void priorityInTheLongForm_decidesTheOrder_andTheShortOneDoesNot() throws InterruptedException {
    gateway.endpoint(CHAT).pause(true);
    try (ByteSocket shortly = connect().send(request(CHAT + "?n=1", "X-Priority: 9\r\n", ASK))) {
      gateway.await(CHAT, TicketFate.WAITING, 1);
      try (ByteSocket atLength =
          connect().send(request(CHAT + "?n=2", "x-penstock-priority: 1\r\n", ASK))) {
        gateway.await(CHAT, TicketFate.WAITING, 2);
        gateway.endpoint(CHAT).pause(false);
        assertThat(atLength.answer().status()).isEqualTo(200);
        assertThat(shortly.answer().status()).isEqualTo(200);
      }
    } finally {
      gateway.endpoint(CHAT).pause(false);
    }
    assertThat(upstream.received().target()).endsWith("n=2");
    assertThat(upstream.received().target()).endsWith("n=1");
  }

  @Test
  void pathsThatClientsMakeUp_addNoLinesToTheLog() throws InterruptedException {
    for (int each = 0; each < 3; each++) {
      ask(request("/dyn/" + each + "?tokens=1", "", ASK));
      upstream.received();
    }
    assertThat(logged.lines().stream().filter(line -> line.contains("endpoint /dyn")))
        .singleElement()
        .asString()
        .contains("endpoint /dyn:");
    assertThat(ignored("/dyn/1")).containsExactly(Map.entry("?tokens", 1L));
  }

  @Test
  void refusedRequest_isNotReported() {
    get("/nowhere", "X-Priority: 1\r\n");
    assertThat(logged.lines()).noneMatch(line -> line.contains("io.penstock.parameters"));
  }

  @Test
  void reload_changesWhatIsRead() throws Exception {
    String chat = "/changed/v1/chat/completions?timeout=5";
    ask(request(chat, "", ASK));
    assertThat(upstream.received().target()).contains("timeout=5");
    String before = "  - path: /changed\n";
    assertThat(ENDPOINTS).contains(before);
    reload(ENDPOINTS.replace(before, before + "    short_parameters: true\n"));
    ask(request(chat, "", ASK));
    assertThat(upstream.received().target()).isEqualTo("/v1/chat/completions");
    assertThat(ignored("/changed")).containsExactly(Map.entry("?timeout", 1L));
    assertThat(described("/changed").at("/config/short_parameters").asBoolean()).isTrue();
    reload(ENDPOINTS);
    ask(request(chat, "", ASK));
    assertThat(upstream.received().target()).contains("timeout=5");
  }

  private void reload(String routes) throws IOException {
    // In one step: the watcher may read the file at any moment.
    Path aside = Path.of(gateway.routes() + ".new");
    Files.writeString(aside, routes.formatted(upstream.url()));
    Files.move(aside, gateway.routes(), StandardCopyOption.ATOMIC_MOVE);
    HttpMessage answer = operator("POST /reload");
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
  }

  private HttpMessage operator(String start) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket
          .send(
              "%s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0\r\n\r\n"
                  .formatted(start, gateway.operatorPort()))
          .answer();
    }
  }

  private List<String> lines(String path) {
    return logged.lines().stream()
        .filter(line -> line.contains("io.penstock.parameters endpoint " + path + ":"))
        .toList();
  }

  private double counted(String path, String parameter) {
    return MetricsScrape.of(gateway.operatorPort())
        .sum(METRIC, Map.of("endpoint", path, "parameter", parameter));
  }

  private JsonNode described(String path) {
    return JsonMapper.shared().readTree(operator("GET /endpoints?path=" + path).text()).get(0);
  }

  /** Returns what the operator port shows as ignored at an endpoint. */
  private Map<String, Long> ignored(String path) {
    Map<String, Long> counts = new LinkedHashMap<>();
    described(path)
        .get("ignored_parameters")
        .properties()
        .forEach(each -> counts.put(each.getKey(), each.getValue().asLong()));
    return counts;
  }
}
