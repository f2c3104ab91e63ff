package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that one key cannot make an upstream unhealthy for the others, neither by a prompt that its
 * provider answers with an error nor by asking for WebSockets that it does not serve.
 */
@Hostile(Hostile.By.CLIENT)
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class PoisonedUpstreamIT extends HostileCase {
  private static final String HOSTILE = "hostile-secret";
  private static final String POISON = "the-poison";
  private static final int OFTEN = 10;

  @Override
  String routes() {
    return """
    keys:
      - {name: client, sha256: CLIENT}
      - {name: hostile, sha256: HOSTILE}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}"}]
      - path: /first
        dialect: openai
        upstreams: [{id: f, url: "%1$s", api_key: "${SECRET}"}]
      - path: /ws
        dialect: openai
        upstreams: [{id: w, url: "%1$s", api_key: "${SECRET}"}]
    """
        .replace("CLIENT", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("HOSTILE", KeyedRequestsIT.sha256(HOSTILE));
  }

  /** Answers poisonous prompts with an error, and all others well. */
  private static RawUpstream.Script sensitive() {
    return (upstream, byteSocket) -> {
      HttpMessage request = upstream.read(byteSocket);
      byteSocket.send(
          request.text().contains(POISON)
              ? "HTTP/1.1 500 X\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
              : OK);
    };
  }

  private HttpMessage chat(String path, String secret, String prompt) {
    String body = ASK.replace(PROMPT, prompt);
    return ask(
        "POST %s/v1/chat/completions HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(path, secret, body.length(), body));
  }

  private HttpMessage upgrade(String secret) {
    return ask(
        ("GET /ws/v1/realtime HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\n"
                + "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            .formatted(secret));
  }

  private boolean healthy(String id) {
    Upstream of = Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
    return !of.health().onTrial();
  }

  @Test
  void poisonousPromptOfOneKey_leavesTheUpstreamToTheOthers() {
    upstream.script(sensitive());
    assertThat(chat("/openai", CLIENT_SECRET, PROMPT).status()).isEqualTo(200);
    for (int each = 0; each < OFTEN; each++) {
      assertThat(chat("/openai", HOSTILE, POISON).status()).isEqualTo(500);
    }
    assertThat(healthy("o")).isTrue();
    assertThat(chat("/openai", CLIENT_SECRET, PROMPT).status()).isEqualTo(200);
    upstream.drain();
  }

  @Test
  void upstreamThatOneKeyAloneMadeUnhealthy_servesTheFirstRequestOfAnother() {
    upstream.script(sensitive());
    while (healthy("f")) {
      int status = chat("/first", HOSTILE, POISON).status();
      assertThat(status).as("the last is not sent again").isEqualTo(healthy("f") ? 500 : 503);
    }
    assertThat(chat("/first", CLIENT_SECRET, PROMPT).status()).isEqualTo(200);
    assertThat(healthy("f")).isTrue();
    upstream.drain();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "200 OK",
        "302 Found",
        "404 X",
        "408 X",
        "426 X",
        "500 X",
        "501 X",
        "502 X",
        "503 X"
      })
  void upgradeThatIsNotMade_passesItsAnswerOn_andIsNoFailure(String status) {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 "
                + status
                + "\r\nx-says: plain\r\nConnection: close\r\nContent-Length: 5\r\n\r\nplain"));
    for (int each = 0; each < OFTEN; each++) {
      HttpMessage answer = upgrade(HOSTILE);
      assertThat(answer.start()).contains(status.substring(0, 3));
      assertThat(answer.header("x-says")).isEqualTo("plain");
      assertThat(answer.text()).isEqualTo("plain");
    }
    assertThat(healthy("w")).isTrue();
    assertThat(upstream.drain()).as("calls, none of which is repeated").isEqualTo(OFTEN);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Accept: wrong\r\n\r\n"
      })
  void upgradeWithoutAnAnswerForTheClient_is502_andIsNoFailure(String answer) {
    upstream.script(RawUpstream.answering(answer));
    for (int each = 0; each < OFTEN; each++) {
      refused(upgrade(HOSTILE), 502, "upstream_unreachable");
    }
    assertThat(healthy("w")).isTrue();
    upstream.drain();
  }
}
