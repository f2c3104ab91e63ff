package io.penstock.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenCountIT {
  private static RawUpstream upstream;
  private static RunningGateway gateway;

  @BeforeAll
  static void start() {
    upstream = RawUpstream.start(answering(200, "{\"input_tokens\":12}"));
    gateway =
        RunningGateway.start(
            """
            endpoints:
              - path: /anthropic
                dialect: anthropic
                upstreams: [{id: a, url: "%1$s", models: [claude]}]
              - path: /openai
                dialect: openai
                upstreams: [{id: o, url: "%1$s/v1"}]
            """
                .formatted(upstream.url()));
  }

  @AfterAll
  static void stop() {
    gateway.close();
    upstream.close();
  }

  private static RawUpstream.Script answering(int status, String json) {
    return RawUpstream.answering(
        "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(status, json.length(), json));
  }

  private static HttpMessage count(String json) {
    String request =
        "POST /tokens/count HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            + "Connection: close\r\nContent-Length: "
            + json.getBytes(UTF_8).length
            + "\r\n\r\n"
            + json;
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket.send(request).answer();
    }
  }

  private static void answers(HttpMessage answer, String json) {
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    assertThat(answer.text()).isEqualToIgnoringWhitespace(json);
  }

  @Test
  void text_isEstimatedHere() {
    answers(
        count("{\"provider\":\"anthropic\",\"model\":\"claude\",\"text\":\"12345\"}"),
        "{\"provider\":\"anthropic\",\"model\":\"claude\",\"input_tokens\":6,\"exact\":false,"
            + "\"tokenizer\":false}");
  }

  @Test
  void body_isEstimatedAsTheGatewayWould() {
    answers(
        count(
            "{\"provider\":\"openai\",\"model\":\"m\",\"exact\":false,\"body\":{\"messages\":["
                + "{\"role\":\"user\",\"content\":\"1234\"},{\"role\":\"user\",\"content\":\"1\"}]}}"),
        "{\"provider\":\"openai\",\"model\":\"m\",\"input_tokens\":10,\"exact\":false,"
            + "\"tokenizer\":false}");
  }

  @Test
  void exact_isCountedByTheProvider() throws Exception {
    upstream.script(answering(200, "{\"input_tokens\":12}"));
    answers(
        count("{\"provider\":\"anthropic\",\"model\":\"claude\",\"text\":\"hi\",\"exact\":true}"),
        "{\"provider\":\"anthropic\",\"model\":\"claude\",\"input_tokens\":12,\"exact\":true,"
            + "\"upstream\":\"a\"}");
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/v1/messages/count_tokens");
    assertThat(asked.header("anthropic-version")).isNotNull();
    assertThat(asked.text())
        .isEqualTo("{\"model\":\"claude\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
  }

  @Test
  void exact_ofAnAddressThatEndsInTheVersion_isNotSentThereTwice() throws Exception {
    upstream.script(answering(200, "{\"input_tokens\":12}"));
    HttpMessage answer =
        count("{\"provider\":\"openai\",\"model\":\"m\",\"text\":\"hi\",\"exact\":true}");
    assertThat(answer.text()).contains("\"input_tokens\":12");
    HttpMessage asked = upstream.received();
    assertThat(asked.target()).isEqualTo("/v1/responses/input_tokens");
    assertThat(asked.text()).isEqualTo("{\"model\":\"m\",\"input\":\"hi\"}");
  }

  @Test
  void providerThatDoesNotCount_isABadGateway() throws Exception {
    upstream.script(answering(500, "{}"));
    HttpMessage answer =
        count("{\"provider\":\"anthropic\",\"model\":\"claude\",\"text\":\"hi\",\"exact\":true}");
    upstream.received();
    assertThat(answer.status()).isEqualTo(502);
    assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
    assertThat(answer.text()).contains("upstream a did not count: it answered 500");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "400|''",
        "400|{",
        "400|[]",
        "400|{\"provider\":\"anthropic\",\"text\":\"x\"}",
        "400|{\"provider\":\"nobody\",\"model\":\"m\",\"text\":\"x\"}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\"}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":\"x\",\"body\":{}}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":5}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\",\"body\":[]}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":\"x\",\"exact\":1}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":\"x\",\"extra\":1}",
        "400|{\"provider\":\"anthropic\",\"model\":\"m\",\"body\":{\"stream\":7}}",
        "404|{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":\"x\",\"exact\":true}",
        "404|{\"provider\":\"gemini\",\"model\":\"m\",\"text\":\"x\",\"exact\":true}",
        "404|{\"provider\":\"openai\",\"model\":\"m\",\"body\":{\"messages\":[]},\"exact\":true}"
      })
  void whatCannotBeCounted_isAProblem(int status, String json) {
    HttpMessage answer = count(json);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.header("content-type")).isEqualTo("application/problem+json");
    assertThat(answer.text()).contains("\"detail\":");
  }

  @Test
  void tooLargeAQuestion_isRefused() {
    String text = "x".repeat((4 << 20) + 1);
    assertThat(
            count("{\"provider\":\"anthropic\",\"model\":\"m\",\"text\":\"" + text + "\"}")
                .status())
        .isEqualTo(413);
  }
}
