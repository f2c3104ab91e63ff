package io.penstock.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.LogCapture;
import io.penstock.fake.RunningGateway;
import io.penstock.suite.Hostile;
import io.penstock.suite.TaggedTests;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests which secrets the operator port reveals, and to which clients. */
@Tag(TaggedTests.READS_LOG)
@Isolated("it reads what is logged")
class OperatorSecretsIT {
  private static final String TOKEN = "operator-token-Zk3";
  private static final String WRONG = "wrong-token-Qx9";
  private static final String PREFIX = "prefix-secret-Hn4";
  private static final String CLIENT = "client-secret-Wm7";
  private static final String UPSTREAM = "sk-upstream"; // ${SECRET} of the starter
  private static final String PROMPT = "prompt-text-Vb5";

  private static HttpMessage ask(
      int port, String method, String target, String token, String body) {
    String request =
        "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nConnection: close\r\n"
                .formatted(method, target, token)
            + "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(body.getBytes(UTF_8).length, body);
    try (ByteSocket byteSocket = ByteSocket.to(port)) {
      return byteSocket.send(request).answer();
    }
  }

  private static String whole(HttpMessage message) {
    return message.start() + "\n" + String.join("\n", message.headers()) + "\n" + message.text();
  }

  @Test
  void secrets_areInNoAnswer_noMetric_noLog() {
    try (RunningGateway gateway =
            RunningGateway.start(
                """
                endpoints:
                  - path: /a
                    dialect: openai
                    upstreams:
                      - {id: u, url: "mock://openai", api_key: "${SECRET}", models: [m]}
                """,
                "--penstock.operator.token=" + TOKEN,
                "--penstock.prefix.secret=" + PREFIX,
                "--logging.level.io.penstock=DEBUG");
        LogCapture logCapture = LogCapture.listen()) {
      List<String> said = new ArrayList<>();
      String chat =
          "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"" + PROMPT + "\"}]}";
      assertThat(ask(gateway.port(), "POST", "/a/v1/chat/completions", CLIENT, chat).status())
          .isEqualTo(200);
      said.add(whole(ask(gateway.port(), "POST", "/a/v1/chat/completions", CLIENT, "{" + PROMPT)));
      said.add(whole(ask(gateway.port(), "GET", "/none", CLIENT, "")));
      int operator = gateway.operatorPort();
      for (String token : List.of(TOKEN, WRONG)) {
        for (String target :
            List.of(
                "GET /endpoints",
                "GET /upstreams",
                "GET /config",
                "GET /quotas",
                "GET /openapi.json",
                "GET /actuator/prometheus",
                "GET /nothing",
                "DELETE /quotas",
                "POST /reload",
                "POST /quotas/decide?model=m",
                "POST /tokens/count",
                "PUT /reservations/x")) {
          String[] parts = target.split(" ", 2);
          HttpMessage answer = ask(operator, parts[0], parts[1], token, "{\"" + PROMPT + "\":1}");
          assertSecure(answer);
          said.add(whole(answer));
        }
      }
      said.add(whole(ask(operator, "GET", "/config", TOKEN, "")));
      said.add(whole(ask(operator, "GET", "/config", WRONG, "")));
      assertThat(said).last().asString().startsWith("HTTP/1.1 429");
      said.addAll(logCapture.lines());
      assertThat(said)
          .allSatisfy(
              each ->
                  assertThat(each)
                      .doesNotContainIgnoringCase(TOKEN)
                      .doesNotContainIgnoringCase(WRONG)
                      .doesNotContainIgnoringCase(PREFIX)
                      .doesNotContainIgnoringCase(CLIENT)
                      .doesNotContainIgnoringCase(UPSTREAM)
                      .doesNotContainIgnoringCase(PROMPT));
      assertThat(logCapture.lines())
          .anyMatch(line -> line.contains("wrong operator tokens come from"));
    }
  }

  private static void assertSecure(HttpMessage answer) {
    assertThat(answer.header("x-content-type-options")).as(answer.start()).isEqualTo("nosniff");
    assertThat(answer.header("x-frame-options")).isEqualTo("DENY");
    assertThat(answer.header("referrer-policy")).isEqualTo("no-referrer");
    assertThat(answer.all("cache-control")).containsExactly("no-store");
    assertThat(answer.header("content-security-policy")).startsWith("default-src 'none'");
    assertThat(answer.header("access-control-allow-origin")).isNull();
  }

  @Hostile(Hostile.By.PAGE)
  @Test
  void preflight_ofAnotherSite_isRefused() {
    try (RunningGateway gateway = RunningGateway.start("endpoints:\n  - path: /a\n");
        ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      HttpMessage answer =
          byteSocket
              .send(
                  """
                  OPTIONS /quotas HTTP/1.1
                  Host: 127.0.0.1
                  Origin: http://evil.example
                  Access-Control-Request-Method: PUT
                  Connection: close

                  """
                      .replace("\n", "\r\n"))
              .answer();
      assertThat(answer.status()).isEqualTo(403);
      assertSecure(answer);
    }
  }
}
