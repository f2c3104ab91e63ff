package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.Quota;
import io.penstock.suite.Hostile;
import io.penstock.time.Ticker;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests clients that send credentials of their own: what the provider says about the account of one
 * of them changes nothing for the others.
 */
@Hostile(Hostile.By.CLIENT)
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class PassthroughRefusalsIT extends HostileCase {
  private static final String OTHER_SECRET = "other-secret";

  @Override
  String routes() {
    return """
    keys:
      - {name: hostile, sha256: HOSTILE}
      - {name: other, sha256: OTHER}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: passthrough, rpm: 1000, tpm: 1000000}]
      - path: /ws
        dialect: openai
        upstreams: [{id: w, url: "%1$s", api_key: passthrough, rpm: 1000}]
    """
        .replace("HOSTILE", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("OTHER", KeyedRequestsIT.sha256(OTHER_SECRET));
  }

  private HttpMessage chat(String secret) {
    return ask(
        ("POST %s HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\nx-penstock-timeout: 1\r\n"
                + "Authorization: Bearer own-of-%s\r\nContent-Length: %d\r\n\r\n%s")
            .formatted(CHAT, secret, secret, ASK.length(), ASK));
  }

  private static String answer(String status, String headers, String body) {
    return ("HTTP/1.1 %s\r\n%sContent-Type: application/json\r\nConnection: close\r\n"
            + "Content-Length: %d\r\n\r\n%s")
        .formatted(status, headers, body.length(), body);
  }

  /** Answers by whose credential comes, and those of others well. */
  private static RawUpstream.Script refusing(String answer) {
    return (self, byteSocket) -> {
      HttpMessage request = self.read(byteSocket);
      String credential = Objects.requireNonNull(request.header("authorization"));
      byteSocket.send(credential.endsWith(CLIENT_SECRET) ? answer : OK);
    };
  }

  private Upstream upstream(String id) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
  }

  /**
   * Checks that a request of the other client goes at once: its upstream has no pause, and nearly
   * all of its configured limits left.
   */
  private void otherIsServed() throws InterruptedException {
    long now = gateway.bean(Ticker.class).nanos();
    Quota pool = upstream("o").pool("m", now);
    assertThat(upstream("o").pause(pool).ends(now)).isEqualTo(now);
    assertThat(upstream("o").health().onTrial()).isFalse();
    assertThat(pool.utilization(now)).isLessThan(0.1);
    assertThat(chat(OTHER_SECRET).status()).isEqualTo(200);
    assertThat(upstream.received().header("authorization")).endsWith(OTHER_SECRET);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Retry-After: 30\r\n|{}",
        "Retry-After: 30\r\n|{\"error\":{\"code\":\"rate_limit_exceeded\"}}",
        "|{\"error\":{\"code\":\"rate_limit_exceeded\"}}",
        "|{\"error\":{\"code\":\"insufficient_quota\"}}",
        "|{\"error\":{\"message\":\"the engine is overloaded\"}}",
        "x-ratelimit-limit-requests: 3\r\nx-ratelimit-remaining-requests: 0\r\n"
            + "x-ratelimit-reset-requests: 30s\r\n|{}",
        "|",
      })
  void refusalOfTheAccountOfOneClient_isPassedOnAtOnce_andPausesNobodyElse(String refusal)
      throws InterruptedException {
    String headers = refusal.substring(0, refusal.indexOf('|'));
    String body = refusal.substring(refusal.indexOf('|') + 1);
    upstream.script(refusing(answer("429 Too Many Requests", headers, body)));
    for (int time = 0; time < 4; time++) {
      HttpMessage answer = chat(CLIENT_SECRET);
      assertThat(answer.status()).isEqualTo(429);
      assertThat(answer.header("retry-after"))
          .isEqualTo(headers.startsWith("Retry-After") ? "30" : null);
      assertThat(answer.text()).isEqualTo(body);
      assertThat(upstream.received().header("authorization")).endsWith(CLIENT_SECRET);
      otherIsServed();
    }
  }

  @Test
  void limitsOfTheAccountOfOneClient_areNotThoseOfTheOthers() throws InterruptedException {
    String limits =
        "x-ratelimit-limit-requests: 1\r\nx-ratelimit-remaining-requests: 0\r\n"
            + "x-ratelimit-reset-requests: 60s\r\nx-ratelimit-limit-tokens: 10\r\n"
            + "x-ratelimit-remaining-tokens: 0\r\nx-ratelimit-reset-tokens: 60s\r\n";
    upstream.script(refusing(answer("200 OK", limits, "{}")));
    for (int time = 0; time < 4; time++) {
      assertThat(chat(CLIENT_SECRET).status()).isEqualTo(200);
      upstream.received();
      otherIsServed();
    }
  }

  @Test
  void refusalOfAWebSocket_pausesNobodyElse() throws InterruptedException {
    upstream.script(refusing(answer("429 Too Many Requests", "Retry-After: 30\r\n", "{}")));
    for (int time = 0; time < 4; time++) {
      HttpMessage answer =
          ask(
              ("GET /ws/v1/realtime HTTP/1.1\r\n"
                      + "Host: a\r\n"
                      + "x-penstock-key: %1$s\r\n"
                      + "Authorization: %1$s\r\n"
                      + "Connection: Upgrade\r\n"
                      + "Upgrade: websocket\r\n"
                      + "Sec-WebSocket-Version: 13\r\n"
                      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
                  .formatted(CLIENT_SECRET));
      assertThat(answer.status()).isEqualTo(429);
      upstream.received();
    }
    long now = gateway.bean(Ticker.class).nanos();
    Upstream sockets = upstream("w");
    assertThat(sockets.pools().values())
        .isNotEmpty()
        .allMatch(pool -> sockets.pause(pool).ends(now) == now);
  }
}
