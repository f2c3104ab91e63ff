package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dispatch.TicketFate;
import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests requests that clients should not send. */
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class BadInputIT extends HostileCase {
  private static final String ROUTES =
      """
      endpoints:
        - path: /openai
          dialect: openai
          upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}", tpm_limit: 1000000}]
        - path: /anthropic
          dialect: anthropic
          upstreams: [{id: a, url: "%1$s", api_key: "${SECRET}"}]
        - path: /plain
          dialect: none
          upstreams: [{id: p, url: "%1$s"}]
        - path: /short
          dialect: openai
          short_parameters: true
          upstreams: [{id: t, url: "%1$s"}]
        - path: /permit
          algorithm: none
        - path: /small
          dialect: openai
          max_body_bytes: 1000
          upstreams: [{id: s, url: "%1$s"}]
      """;

  @Override
  String routes() {
    return ROUTES;
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "nonsense",
        "[]",
        "null",
        "{\"model\":\"m\"",
        "{\"model\":\"m\"} trailing",
        "{\"model\":\"m\",\"model\":null,\"messages\":[]}",
        "{\"model\":null,\"Model\":\"m\",\"messages\":[]}",
        "{\"model\":\"m\",\"max_tokens\":5,\"max_tokens\":-1,\"messages\":[]}",
        "{\"model\":\"m\",\"MAX_TOKENS\":-1,\"messages\":[]}",
      })
  void bodyThatTheDialectDoesNotKnow_isRefused(String body) {
    refused(post(CHAT, body), 400, "bad_request");
    refused(post(MESSAGES, body), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "tokens=abc",
    "tokens=1&tokens=1",
    "tokens=-1",
    "tokens=9223372036854775808",
    "tokens=1.5",
    "tokens=",
    "tokens=%zz",
    "%74okens=abc",
    "tokens=1%0d%0aX-Evil:1",
    "timeout=NaN",
    "timeout=-1",
    "timeout=1e309",
    "timeout=Infinity",
    "timeout=",
    "%74imeout=x",
    "tokens=%D9%A1"
  })
  void parameterThatIsNoNumber_isRefused(String query) {
    refused(post("/permit?" + query, ""), 400, "bad_request");
    refused(post("/short/v1/chat/completions?" + query, ASK), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"tokens=abc", "tokens=1&tokens=1", "tokens=", "%74okens=abc"})
  void costThatIsNoNumber_whereTheQueryStatesIt_isRefused(String query) {
    refused(post("/plain/x?" + query, ""), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"tokens=%zz", "a=%", "a=%4", "a=|"})
  void queryThatNoUriCanHave_isRefusedAtEveryEndpoint(String query) {
    for (String target : new String[] {"/permit", CHAT, "/plain/x"}) {
      refused(post(target + "?" + query, ""), 400, "bad_request");
    }
  }

  @Test
  void pathThatNoEndpointHas_isNotFound() {
    refused(post("/nowhere", ASK), 404, "no_endpoint");
    refused(post("/openaiX/v1/chat/completions", ASK), 404, "no_endpoint");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/../permit",
        "/openai/%2e%2e/permit",
        "/openai/.%2E/permit",
        "/openai/v1/..",
        "/openai/v1%2f..%2fadmin",
        "/openai/v1/..%5cadmin",
        "/openai/./v1/chat/completions",
      })
  void pathThatClimbs_isRefused(String path) {
    refused(post(path, ASK), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1/chat/completion%73",
        "/openai/v1/%63hat/completions",
        "/openai/v1/chat%2Fcompletions",
        "/openai/v1//chat//completions/",
        "/openai/v1/chat/completions%2F",
      })
  void pathWrittenOtherwise_isWeighedAllTheSame(String path) throws InterruptedException {
    refused(post(path, "{"), 400, "bad_request");
    HttpMessage answer = post(path, ASK);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(Long.parseLong(answer.header("x-penstock-cost"))).isGreaterThan(5);
    assertThat(upstream.received().target()).isEqualTo(path.substring("/openai".length()));
  }

  @ParameterizedTest
  @CsvSource({
    "//openai/v1/chat/completions, /v1/chat/completions",
    "/%6Fpen%61i//v1/chat/completions, //v1/chat/completions"
  })
  void endpointWrittenOtherwise_isTheSameEndpoint(String path, String forwarded)
      throws InterruptedException {
    refused(post(path, "{"), 400, "bad_request");
    HttpMessage answer = post(path, ASK);
    assertThat(answer.header("x-penstock-endpoint")).isEqualTo("/openai");
    assertThat(upstream.received().target()).isEqualTo(forwarded);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void pathWithABrokenEscape_isRefused() {
    refused(post("/openai/v1/chat/completions%zz", ASK), 400, "bad_request");
    refused(post("/openai/v1/chat|completions", ASK), 400, "bad_request");
    refused(post("/openai/v1/%", ASK), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void absoluteTarget_goesToTheConfiguredUpstream() throws InterruptedException {
    HttpMessage answer = post("http://evil.example" + CHAT, ASK);
    assertThat(answer.status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/v1/chat/completions");
    assertThat(asked.header("host")).isEqualTo("127.0.0.1:" + upstream.port());
    refused(post("http://evil.example@127.0.0.1/nowhere", ASK), 404, "no_endpoint");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyOverTheBound_isRefusedByItsLengthAlone() {
    String head =
        "POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n".formatted(CHAT, (32 << 20) + 1);
    refused(ask(head), 413, "body_too_large");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void bodyOverTheBound_isRefusedThoughItsLengthIsNotStated() {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send(
          "POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
      byteSocket.chunk("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"");
      String mib = "x".repeat(1 << 20);
      for (int i = 0; i < 32; i++) {
        byteSocket.chunk(mib);
      }
      refused(byteSocket.answer(), 413, "body_too_large");
    }
  }

  @Test
  void bodyOfExactlyTheBound_passes() throws InterruptedException {
    String head = "{\"model\":\"m\",\"x\":\"";
    String body = head + "x".repeat(1000 - head.length() - 2) + "\"}";
    assertThat(post("/small/v1/chat/completions", body).status()).isEqualTo(200);
    assertThat(upstream.received().text()).isEqualTo(body);
    refused(post("/small/v1/chat/completions", body + " "), 413, "body_too_large");
  }

  @Test
  void operatorPort_saysNothingOfTheGateways() {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      byteSocket.send(
          "GET /openai/v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      HttpMessage answer = byteSocket.answer();
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.header("x-penstock-reason")).isNull();
    }
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void negativeLength_isRefused() {
    refused(
        ask("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
        400,
        "bad_request");
    refused(
        ask("POST " + CHAT + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1e9\r\n\r\n"),
        400,
        "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void headersWithoutEnd_areRefused() {
    refused(
        ask("GET /permit HTTP/1.1\r\nHost: x\r\nX-Big: " + "x".repeat(20_000) + "\r\n\r\n"),
        431,
        "bad_request");
    StringBuilder many = new StringBuilder("GET /permit HTTP/1.1\r\nHost: x\r\n");
    for (int i = 0; i < 2_000; i++) {
      many.append("X-").append(i).append(": ").append(CLIENT_SECRET).append("\r\n");
    }
    refused(ask(many + "\r\n"), 431, "bad_request");
    refused(ask("GET /permit/" + "x".repeat(9_000) + " HTTP/1.1\r\n\r\n"), 414, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void whatIsNotHttp_isRefused() {
    refused(ask("\u0016\u0003\u0001 hello\r\n\r\n"), 400, "bad_request");
    refused(ask("GET /permit\r\n\r\n"), 400, "bad_request");
    refused(ask("GET /permit HTTP/1.1\r\nno colon\r\n\r\n"), 400, "bad_request");
    refused(ask("GET /permit HTTP/1.1\r\nX Y: 1\r\n\r\n"), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void badChunkSize_isRefused() {
    refused(
        ask(
            "POST "
                + CHAT
                + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"),
        400,
        "bad_request");
    gateway.await(CHAT, TicketFate.RUNNING, 0);
  }
}
