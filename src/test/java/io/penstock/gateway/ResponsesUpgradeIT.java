package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a refused WebSocket of the Responses API is 426 whatever the cause, which the body
 * says. Clients make the call over HTTP then, and learn the true status there.
 */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class ResponsesUpgradeIT extends HostileCase {
  private static final String WHY = "{\"why\":\"for this\"}";
  private static final String RESPONSES = "/openai/v1/responses";

  @Override
  String routes() {
    return """
    keys:
      - {name: any, sha256: ANY}
      - {name: elsewhere, sha256: ELSEWHERE, allowed_endpoints: [/none]}
      - {name: spent, sha256: SPENT, concurrency: 1, rpm: 1, on_limit: reject}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}"}]
      - path: /azure
        dialect: azure
        upstreams: [{id: a, url: "%1$s", api_key: "${SECRET}"}]
      - path: /never
        dialect: openai
        upgrade: refuse
        upstreams: [{id: n, url: "%1$s"}]
      - path: /closed
        dialect: openai
        upstreams: [{id: c, url: "http://127.0.0.1:1"}]
      - path: /none
        upstreams: [{id: p, url: "%1$s"}]
    """
        .replace("ANY", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("ELSEWHERE", KeyedRequestsIT.sha256("elsewhere"))
        .replace("SPENT", KeyedRequestsIT.sha256("spent"));
  }

  private HttpMessage upgrade(String path, String secret) {
    return ask(
        ("GET %s HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            .formatted(path, secret));
  }

  private HttpMessage refusedUpgrade(String path, String secret, String reason) {
    HttpMessage answer = upgrade(path, secret);
    refused(answer, 426, reason);
    namesHttp(answer);
    return answer;
  }

  private static void namesHttp(HttpMessage answer) {
    assertThat(answer.header("upgrade")).isEqualTo("HTTP/1.1");
    assertThat(answer.header("connection")).containsIgnoringCase("upgrade");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @ParameterizedTest
  @CsvSource({
    "/openai/v1/responses, 401",
    "/openai/v1/responses, 404",
    "/openai/v1/responses/, 405",
    "/openai/responses, 403",
    "/azure/openai/v1/responses, 500"
  })
  void refusalOfTheUpstream_is426_withItsBody(String path, int status) throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 " + status + " X\r\nContent-Length: 18\r\nRetry-After: 7\r\n\r\n" + WHY));
    HttpMessage answer = upgrade(path, CLIENT_SECRET);
    assertThat(answer.status()).isEqualTo(426);
    namesHttp(answer);
    assertThat(answer.text()).isEqualTo(WHY);
    assertThat(answer.header("retry-after")).isEqualTo("7");
    upstream.received();
  }

  @Test
  void everyCauseIs426_andTheBodySaysIt() {
    refusedUpgrade(RESPONSES, "unknown", "unauthenticated");
    refusedUpgrade(RESPONSES, "elsewhere", "forbidden_endpoint");
    refusedUpgrade("/nowhere/v1/responses", CLIENT_SECRET, "no_endpoint");
    refusedUpgrade("/never/v1/responses", CLIENT_SECRET, "upgrade_refused");
    refusedUpgrade("/closed/v1/responses", CLIENT_SECRET, "upstream_unreachable");
  }

  @Hostile(Hostile.By.UPSTREAM)
  @Test
  void limitOfTheKey_is426_withItsTimeAndReason() throws InterruptedException {
    upgrade(RESPONSES, "spent");
    upstream.received();
    HttpMessage answer = refusedUpgrade(RESPONSES, "spent", "key_rpm");
    assertThat(answer.header("retry-after")).isNotBlank();
    assertThat(answer.text()).contains("rpm");
  }

  @Test
  void otherUpgradesThatAreRefused_keepTheirStatus() {
    refused(upgrade("/openai/v1/realtime", "unknown"), 401, "unauthenticated");
    refused(upgrade("/nowhere/v1/realtime", CLIENT_SECRET), 404, "no_endpoint");
    HttpMessage answer = upgrade("/never/v1/realtime", CLIENT_SECRET);
    refused(answer, 426, "upgrade_refused");
    namesHttp(answer);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/none/v1/responses", "/openai/v1/responses/r"})
  void pathsThatAreNoSuchCalls_keepTheStatusOfTheUpstream(String path) throws InterruptedException {
    upstream.script(RawUpstream.answering("HTTP/1.1 403 X\r\nContent-Length: 0\r\n\r\n"));
    assertThat(upgrade(path, CLIENT_SECRET).status()).isEqualTo(403);
    upstream.received();
  }

  @Test
  void plainRequestThatIsRefused_keepsItsStatus() {
    refused(
        ask("GET /openai/v1/responses/r HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        401,
        "unauthenticated");
  }
}
