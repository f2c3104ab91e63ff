package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.config.ConfigurationReloader;
import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.Http2Wire;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.LogCapture;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests what web pages can do with a gateway, and what they cannot do while it asks for no keys.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class WebPagesIT extends HostileCase {
  private static final String LOCAL = "Host: localhost";
  private static final String EVIL_HOST = "Host: evil.example";
  private static final String EVIL = "Origin: https://evil.example";
  private static final String APP = "Origin: https://app.example";
  private static final String ASKS_TO_POST =
      "Access-Control-Request-Method: POST\r\n"
          + "Access-Control-Request-Headers: authorization, content-type";
  private static final String UPGRADE =
      "Connection: Upgrade\r\nUpgrade: websocket\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
  private static final String ALLOWS_APP = "--penstock.allowed-origins=https://app.example";

  /** An upstream that states itself which pages may read its answers, as providers do. */
  private static final String SHARED_OK =
      OK.replace(
          "Connection: close\r\n",
          "Connection: close\r\nAccess-Control-Allow-Origin: *\r\n"
              + "Access-Control-Allow-Credentials: true\r\nVary: Accept-Encoding\r\n");

  private static final String ROUTES =
      """
      endpoints:
        - path: /openai
          dialect: openai
          upstreams: [{id: o, url: "%1$s", rpm_limit: 1000}]
        - path: /anthropic
          dialect: anthropic
          upstreams: [{id: a, url: "%1$s", api_key: passthrough}]
        - {path: /permit, algorithm: none}
      """;

  private static final String KEYS =
      "keys: [{name: app, sha256: " + KeyedRequestsIT.sha256("app-secret") + "}]\n";

  @Override
  String routes() {
    return ROUTES;
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--penstock.allowed-hosts=", // the default, unlike that of other tests
      "--penstock.coordination.enabled=true",
      "--server.http2.enabled=true"
    };
  }

  private static String request(String start, String... headers) {
    return start + " HTTP/1.1\r\n" + String.join("\r\n", headers) + "\r\n\r\n";
  }

  private static HttpMessage ask(RunningGateway asked, String start, String... headers) {
    try (ByteSocket byteSocket = ByteSocket.to(asked.port())) {
      return byteSocket.send(request(start, headers)).answer();
    }
  }

  private HttpMessage ask(String start, String... headers) {
    return ask(gateway, start, headers);
  }

  private static void saysNothingToPages(HttpMessage answer) {
    assertThat(answer.headers())
        .noneMatch(line -> line.regionMatches(true, 0, "access-control-", 0, 15));
  }

  private void assertForeignOrigin(HttpMessage answer) {
    refused(answer, 403, "foreign_origin");
    saysNothingToPages(answer);
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "evil.example",
        "EVIL.example:8080",
        "localhost.evil.example",
        "evil-localhost",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "10.0.0.1:8080"
      })
  void foreignHost_isRefused(String host) {
    refused(ask("GET " + FILES, "Host: " + host), 421, "foreign_host");
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @ValueSource(
      strings = {"/permit", "/v1/semaphore/s/acquire", "/v1/penstock/status", "/no/endpoint"})
  void foreignHost_isRefusedOnEveryPath(String path) {
    refused(ask("GET " + path, EVIL_HOST), 421, "foreign_host");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "LocalHost:1",
        "localhost.:8080",
        "app.localhost",
        "127.0.0.1",
        "127.1.2.3:80",
        "[::1]:8080"
      })
  void nameOfTheLoopback_isServed(String host) {
    assertThat(ask("GET /permit", "Host: " + host).status()).isEqualTo(200);
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void noHostOrTwoOrAMalformedOne_isRefused() {
    refused(ask("GET /permit", "Accept: */*"), 400, "bad_request");
    refused(ask("GET /permit", LOCAL, EVIL_HOST), 400, "bad_request");
    refused(ask("GET /permit", EVIL_HOST, LOCAL), 400, "bad_request");
    for (String host : new String[] {"", "localhost@evil.example", "a b"}) {
      refused(ask("GET /permit", "Host: " + host), 400, "bad_request");
    }
    assertThat(ask("GET /permit", "Host: localhost:80:80").status()).isEqualTo(400);
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /permit",
        "GET /v1/penstock/status",
        "GET /no/endpoint",
        "GET /v1/counter/c/value",
        "GET /permit/%2e%2e/x",
        "POST " + CHAT,
        "NO HTTP"
      })
  void answerOfTheGatewayItself_isNotToBeSniffed(String start) {
    HttpMessage answer = ask(start, LOCAL);
    assertThat(answer.all("x-content-type-options")).as(answer.start()).containsExactly("nosniff");
  }

  @Test
  void answerOfAnUpstream_keepsItsOwnHeaders() throws InterruptedException {
    HttpMessage answer = ask("GET " + FILES, LOCAL);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("x-content-type-options")).isNull();
    upstream.received();
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void forwardedHost_isNotTheHost() {
    refused(
        ask("GET /permit", EVIL_HOST, "X-Forwarded-Host: localhost", "Forwarded: host=localhost"),
        421,
        "foreign_host");
    assertThat(ask("GET /permit", LOCAL, "X-Forwarded-Host: evil.example").status()).isEqualTo(200);
  }

  @Test
  void authorityOfHttp2_isTheHost() throws IOException {
    try (Http2Wire wire = new Http2Wire(gateway.port())) {
      wire.get(1, "/permit", "evil.example");
      assertThat(wire.next(Http2Wire.DATA).text()).contains("\"reason\":\"foreign_host\"");
      wire.get(3, "/permit", "localhost:8080");
      assertThat(wire.next(Http2Wire.DATA).text()).startsWith("{\"ok\":true");
    }
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @ValueSource(
      strings = {"https://evil.example", "null", "http://localhost:3000", "https://localhost.evil"})
  void foreignOrigin_isRefused(String origin) {
    assertForeignOrigin(ask("DELETE " + FILES + "/f-1", LOCAL, "Origin: " + origin));
  }

  @Hostile(Hostile.By.PAGE)
  @ParameterizedTest
  @CsvSource({"cross-site, 403", "same-site, 403", "same-origin, 200", "none, 200"})
  void requestWithoutAnOrigin_isServedUnlessItsBrowserSaysItIsForeign(String site, int status) {
    assertThat(ask("GET /permit", LOCAL, "Sec-Fetch-Site: " + site).status()).isEqualTo(status);
  }

  @Test
  void ownOrigin_isServed() {
    HttpMessage answer =
        ask("GET /permit", "Host: localhost:8080", "Origin: http://localhost:8080");
    assertThat(answer.status()).isEqualTo(200);
    saysNothingToPages(answer);
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void foreignPageThatPosts_isRefusedInTheDialect_andCounted() {
    long before = gateway.count("/anthropic", TicketFate.REFUSED);
    String post = ByteSocket.request("POST", MESSAGES, ASK).replace("Host: penstock", LOCAL);
    HttpMessage answer = ask(post.replace(LOCAL, LOCAL + "\r\n" + EVIL));
    assertForeignOrigin(answer);
    assertThat(answer.text())
        .startsWith("{\"type\":\"error\",\"error\":{\"type\":\"permission_error\"")
        .contains("penstock.allowed-origins");
    assertThat(answer.header("x-penstock-endpoint")).isEqualTo("/anthropic");
    assertThat(gateway.count("/anthropic", TicketFate.REFUSED)).isEqualTo(before + 1);
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void preflightOfAForeignPage_isRefused_andNotForwarded() {
    assertForeignOrigin(ask("OPTIONS " + CHAT, LOCAL, EVIL, ASKS_TO_POST));
  }

  @Test
  void optionsThatAreNoPreflight_areForwarded() throws InterruptedException {
    assertThat(ask("OPTIONS " + CHAT, LOCAL).status()).isEqualTo(200);
    assertThat(upstream.received().start()).startsWith("OPTIONS /v1/chat/completions ");
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void webSocketOfAForeignPage_isRefused_andNotForwarded() {
    assertForeignOrigin(ask("GET /openai/v1/realtime?model=m", LOCAL, EVIL, UPGRADE));
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void coordinationByAForeignPage_changesNothing() {
    assertForeignOrigin(ask("POST /v1/counter/c/count", LOCAL, EVIL, "Content-Length: 0"));
    assertForeignOrigin(ask("GET /v1/semaphore/s/acquire?maxwait=0", LOCAL, EVIL));
    assertThat(ask("GET /v1/semaphore/s/acquire?maxwait=0", LOCAL).status()).isEqualTo(200);
  }

  @Test
  void allowedHostsAndOrigins_areServed() throws InterruptedException {
    try (RunningGateway allowing =
        RunningGateway.start(
            ROUTES.formatted(upstream.url()),
            "--penstock.allowed-hosts=llm.example, *.team.example",
            ALLOWS_APP)) {
      for (String host : new String[] {"LLM.example:443", "a.team.example", "127.0.0.1"}) {
        assertThat(ask(allowing, "GET /permit", "Host: " + host).status()).isEqualTo(200);
      }
      for (String host : new String[] {"evil.example", "team.example", "a.llm.example"}) {
        refused(ask(allowing, "GET /permit", "Host: " + host), 421, "foreign_host");
      }
      assertForeignOrigin(ask(allowing, "GET /permit", LOCAL, EVIL));
      assertForeignOrigin(ask(allowing, "OPTIONS " + CHAT, LOCAL, EVIL, ASKS_TO_POST));
      assertPreflightAllowed(allowing);
      assertAnswersToPages(allowing);
      assertUpgradeForwarded(allowing);
    }
  }

  private void assertUpgradeForwarded(RunningGateway allowing) throws InterruptedException {
    upstream.script(RawUpstream.answering("HTTP/1.1 404 X\r\nContent-Length: 0\r\n\r\n"));
    String realtime = "GET /openai/v1/realtime?model=m";
    HttpMessage answer = ask(allowing, realtime, LOCAL, APP, "Sec-Fetch-Site: cross-site", UPGRADE);
    assertThat(upstream.received().start()).startsWith("GET /v1/realtime?model=m ");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.header("access-control-allow-origin")).isEqualTo("https://app.example");
  }

  private static void assertPreflightAllowed(RunningGateway allowing) {
    HttpMessage answer;
    try (ByteSocket byteSocket = ByteSocket.to(allowing.port())) {
      answer = byteSocket.send(request("OPTIONS " + CHAT, LOCAL, APP, ASKS_TO_POST)).head();
    }
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.all("access-control-allow-origin")).containsExactly("https://app.example");
    assertThat(answer.header("access-control-allow-methods")).isEqualTo("POST");
    assertThat(answer.header("access-control-allow-headers"))
        .isEqualTo("authorization, content-type");
    assertThat(answer.header("access-control-max-age")).isEqualTo("7200");
    assertThat(answer.all("vary")).contains("Origin");
    assertThat(answer.header("x-request-id")).isNotBlank();
  }

  private void assertAnswersToPages(RunningGateway allowing) throws InterruptedException {
    upstream.script(RawUpstream.answering(SHARED_OK));
    HttpMessage answer = ask(allowing, "GET " + FILES, LOCAL, APP, "Sec-Fetch-Site: cross-site");
    upstream.received();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.all("access-control-allow-origin")).containsExactly("https://app.example");
    assertThat(answer.all("access-control-expose-headers")).containsExactly("*");
    assertThat(answer.header("access-control-allow-credentials")).isNull();
    assertThat(answer.all("vary")).contains("Accept-Encoding", "Origin");
    HttpMessage refusal = ask(allowing, "GET /no/endpoint", LOCAL, APP);
    refused(refusal, 404, "no_endpoint");
    assertThat(refusal.header("access-control-allow-origin")).isEqualTo("https://app.example");
  }

  @Test
  void keys_areWhatIsAskedForInstead_whileThereAreAny() throws Exception {
    String keyed = KEYS + ROUTES.formatted(upstream.url());
    try (RunningGateway asking =
        RunningGateway.start(
            keyed, "--server.address=127.0.0.1", "--penstock.allowed-hosts=", ALLOWS_APP)) {
      String key = "x-penstock-key: app-secret";
      assertThat(ask(asking, "GET /permit", EVIL_HOST, key).status()).isEqualTo(200);
      HttpMessage unlisted = ask(asking, "GET /permit", LOCAL, EVIL, key);
      assertThat(unlisted.status()).isEqualTo(200);
      saysNothingToPages(unlisted);
      HttpMessage listed = ask(asking, "GET /permit", LOCAL, APP, key);
      assertThat(listed.header("access-control-allow-origin")).isEqualTo("https://app.example");
      HttpMessage noKey = ask(asking, "GET /permit", LOCAL, APP);
      refused(noKey, 401, "unauthenticated");
      assertThat(noKey.header("access-control-allow-origin")).isEqualTo("https://app.example");
      assertPreflightAllowed(asking);
      assertForeignOrigin(ask(asking, "OPTIONS " + CHAT, LOCAL, EVIL, ASKS_TO_POST));
      reload(asking, ROUTES.formatted(upstream.url()));
      refused(ask(asking, "GET /permit", EVIL_HOST, key), 421, "foreign_host");
      assertForeignOrigin(ask(asking, "GET /permit", LOCAL, EVIL, key));
      reload(asking, keyed);
      assertThat(ask(asking, "GET /permit", EVIL_HOST, key).status()).isEqualTo(200);
    }
  }

  private static void reload(RunningGateway reloaded, String routes) throws IOException {
    // In one step: the watcher may read the file at any moment.
    Path aside = Files.writeString(Path.of(reloaded.routes() + ".new"), routes);
    Files.move(aside, reloaded.routes(), StandardCopyOption.ATOMIC_MOVE);
    assertThat(reloaded.bean(ConfigurationReloader.class).reload())
        .isInstanceOf(ConfigurationReloader.Result.Applied.class);
  }

  @Test
  void gatewayWithoutKeysOnEveryAddress_servesAnyHost_andWarns() throws Exception {
    try (RunningGateway open =
        RunningGateway.start(
            ROUTES.formatted(upstream.url()),
            "--server.address=0.0.0.0",
            "--penstock.keys.required=false",
            "--penstock.allowed-hosts=")) {
      assertThat(ask(open, "GET /permit", "Host: 10.1.2.3:8080").status()).isEqualTo(200);
      assertThat(ask(open, "GET /permit", EVIL_HOST).status()).isEqualTo(200);
      assertForeignOrigin(ask(open, "GET /permit", "Host: 10.1.2.3:8080", EVIL));
      try (LogCapture warnings = LogCapture.listen()) {
        reload(open, ROUTES.formatted(upstream.url()) + "\n");
        assertThat(warnings.lines())
            .anyMatch(
                line ->
                    line.startsWith("WARN io.penstock.config ")
                        && line.contains("penstock.allowed-hosts"));
      }
    }
  }
}
