package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests the answers of endpoints without upstreams to requests of all kinds. */
class PermitIT extends HostileCase {
  @Override
  String routes() {
    return """
    defaults: {max_queue_size: 7}
    endpoints:
      - {path: /strict, algorithm: strict, rate: 1000, unit: rps}
      - {path: /slow, algorithm: strict, rate: 0.5, unit: rpm, queue_timeout: 2.5}
      - {path: /set, algorithm: none, window_seconds: 2.0, queue_timeout: 0}
      - {path: /tokens, algorithm: token_window, tokens_per_window: 100, window_seconds: 1000}
      - {path: /budget, algorithm: token_window, tokens_per_window: 100, window_seconds: 1000}
    """;
  }

  private static JsonNode json(HttpMessage answer) {
    return JsonMapper.shared().readTree(answer.text());
  }

  private HttpMessage get(String target, String... headers) {
    StringBuilder head = new StringBuilder("GET " + target + " HTTP/1.1\r\nHost: x\r\n");
    List.of(headers).forEach(header -> head.append(header).append("\r\n"));
    return ask(head + "\r\n");
  }

  @Test
  void permit_saysWhatItWasGivenBy() {
    HttpMessage answer = get("/strict");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("content-type")).isEqualTo("application/json");
    JsonNode json = json(answer);
    assertThat(json.propertyNames())
        .containsExactly(
            "ok",
            "endpoint",
            "queued_for_ms",
            "queue_depth",
            "rate",
            "unit",
            "scheduler",
            "algorithm",
            "max_queue_size",
            "overflow");
    assertThat(answer.text())
        .startsWith("{\"ok\":true,\"endpoint\":\"/strict\",\"queued_for_ms\":")
        .endsWith(
            "\"queue_depth\":0,\"rate\":1000,\"unit\":\"rps\",\"scheduler\":\"fifo\","
                + "\"algorithm\":\"strict\",\"max_queue_size\":7,\"overflow\":\"reject\"}");
  }

  @Test
  void whatWasSet_isShown_wholeNumbersWithoutAFraction() {
    assertThat(get("/slow").text())
        .contains("\"rate\":0.5,\"unit\":\"rpm\"")
        .contains("\"queue_timeout\":2.5")
        .doesNotContain("window_seconds");
    assertThat(get("/set").text())
        .contains("\"window_seconds\":2}")
        .doesNotContain("queue_timeout");
  }

  @Test
  void pathBelow_isAnEndpointOfItsOwn_andSaysWhatItInherited() {
    assertThat(get("/slow/a/b", "X-Sent-At: 99999999999999").text())
        .startsWith("{\"ok\":true,\"endpoint\":\"/slow/a/b\"")
        .contains("\"rate\":0.5,\"unit\":\"rpm\"")
        .endsWith("\"queue_timeout\":2.5,\"network_latency_ms\":0,\"dynamic\":true}");
    assertThat(get("/strict").text()).doesNotContain("dynamic");
  }

  @Test
  void tokenWindow_saysWhatIsLeftJustAfterEachWent() {
    HttpMessage first = get("/budget?tokens=30");
    assertThat(first.text())
        .doesNotContain("\"rate\"")
        .doesNotContain("\"unit\"")
        .contains("\"window_seconds\":1000")
        .endsWith(
            "\"tokens_consumed\":30,\"tokens_remaining\":70,\"window_capacity\":100,"
                + "\"waiting_for_next_window\":0}");
    assertThat(json(get("/budget?tokens=70")).get("tokens_remaining").asInt()).isZero();
    assertThat(json(get("/budget?tokens=0")).get("tokens_consumed").asInt()).isZero();
  }

  @Test
  void permitsOfOneInstant_eachSayWhatTheyLeft() {
    List<ByteSocket> wires = new ArrayList<>();
    try {
      gateway.endpoint("/tokens").pause(true);
      for (int i = 1; i <= 3; i++) {
        wires.add(connect().post("/tokens?tokens=30", ""));
        gateway.await("/tokens", io.penstock.dispatch.TicketFate.WAITING, i);
      }
      gateway.endpoint("/tokens").pause(false);
      List<JsonNode> answers = wires.stream().map(byteSocket -> json(byteSocket.answer())).toList();
      assertThat(answers.stream().map(answer -> answer.get("tokens_remaining").asInt()))
          .containsExactly(70, 40, 10);
      assertThat(answers.stream().map(answer -> answer.get("waiting_for_next_window").asInt()))
          .containsExactly(2, 1, 0);
    } finally {
      wires.forEach(ByteSocket::close);
    }
  }

  @Test
  void sentAt_isAnsweredByTheLatency() {
    assertThat(get("/strict").text()).doesNotContain("network_latency_ms");
    assertThat(json(get("/strict", "X-Sent-At: 1")).get("network_latency_ms").asLong())
        .isGreaterThan(1_600_000_000_000L);
    assertThat(get("/strict", "X-Sent-At: 99999999999999").text())
        .contains("\"network_latency_ms\":0}");
    assertThat(get("/strict", "X-Sent-At: soon").text()).doesNotContain("network_latency_ms");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"})
  void anyMethod_isPermitted(String method) {
    HttpMessage answer = ask(ByteSocket.request(method, "/strict", "ignored"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).startsWith("{\"ok\":true");
  }

  @Test
  void head_isPermittedWithoutABody() {
    try (ByteSocket byteSocket = connect()) {
      byteSocket.send("HEAD /strict HTTP/1.1\r\nHost: x\r\n\r\n");
      HttpMessage head = byteSocket.head();
      assertThat(head.status()).isEqualTo(200);
      assertThat(Integer.parseInt(head.header("content-length"))).isGreaterThan(100);
      byteSocket.send("GET /strict HTTP/1.1\r\nHost: x\r\n\r\n");
      assertThat(byteSocket.answer().text()).startsWith("{\"ok\":true");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"99999999999", "1.5", "NaN", "", "high"})
  void priorityThatIsNoInteger_isRefused(String priority) {
    refused(get("/strict", "X-Priority: " + priority), 400, "bad_request");
  }

  @Test
  void parameterStatedTwice_isRefused() {
    refused(get("/strict?tokens=1&tokens=2"), 400, "bad_request");
    refused(get("/strict", "X-Timeout: 1", "X-Timeout: 2"), 400, "bad_request");
  }
}
