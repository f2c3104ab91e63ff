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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests a tenant whose requests the provider refuses, for example by a limit for each end user: the
 * requests of others go on, in each dialect.
 */
@Hostile(Hostile.By.CLIENT)
@SuppressWarnings({"InlineFormatString", "StringConcatToTextBlock"}) // as on the wire
class RefusedTenantIT extends HostileCase {
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
        upstreams: [{id: o, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: a, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: g, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
    """
        .replace("HOSTILE", KeyedRequestsIT.sha256(CLIENT_SECRET))
        .replace("OTHER", KeyedRequestsIT.sha256(OTHER_SECRET));
  }

  /** The model of a case: what was refused for another one says nothing about it. */
  private String model = "m";

  private String call(String path) {
    return switch (path) {
      case "/openai" -> CHAT;
      case "/anthropic" -> MESSAGES;
      default -> "/gemini/v1beta/models/" + model + ":generateContent";
    };
  }

  private HttpMessage send(String path, String secret) {
    String body = ASK.replace("\"m\"", '"' + model + '"');
    return ask(
        ("POST %s HTTP/1.1\r\nHost: a\r\nx-penstock-key: %s\r\nx-penstock-timeout: 1\r\n"
                + "x-sender: %s\r\nContent-Type: application/json\r\n"
                + "Content-Length: %d\r\n\r\n%s")
            .formatted(call(path), secret, secret, body.length(), body));
  }

  /** Refuses the requests of one tenant, and answers those of others well. */
  private static RawUpstream.Script refusing(String answer) {
    return (self, byteSocket) -> {
      HttpMessage request = self.read(byteSocket);
      String sender = Objects.requireNonNull(request.header("x-sender"));
      byteSocket.send(sender.equals(CLIENT_SECRET) ? answer : OK);
    };
  }

  @BeforeEach
  void bothAreActive() throws InterruptedException {
    model = "warm";
    for (String path : new String[] {"/openai", "/anthropic", "/gemini"}) {
      assertThat(send(path, OTHER_SECRET).status()).isEqualTo(200);
      assertThat(send(path, CLIENT_SECRET).status()).isEqualTo(200);
      upstream.received();
      upstream.received();
    }
  }

  private long now() {
    return gateway.bean(Ticker.class).nanos();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /openai    | 429 | Retry-After: 60    | {"error":{"code":"rate_limit_exceeded"}}
          /openai    | 429 | Retry-After: 86400 | {"error":{"code":"rate_limit_exceeded"}}
          /openai    | 429 | X-A: b             | {"error":{"code":"rate_limit_exceeded"}}
          /openai    | 429 | X-A: b             | {"detail":"slow down"}
          /openai    | 503 | Retry-After: 60    | {"error":{"message":"busy"}}
          /anthropic | 429 | Retry-After: 60    | {"error":{"type":"rate_limit_error"}}
          /anthropic | 529 | X-A: b             | {"error":{"type":"overloaded_error"}}
          /gemini    | 429 | Retry-After: 60    | {"error":{"status":"RESOURCE_EXHAUSTED"}}
          /gemini    | 429 | X-A: b             | {"error":{"status":"RESOURCE_EXHAUSTED"}}
          """)
  void oneTenantIsRefused_theOtherLosesNothing(String path, int status, String header, String body)
      throws InterruptedException {
    model = "m" + Integer.toHexString((status + header + body).hashCode());
    upstream.script(
        refusing(
            ("HTTP/1.1 %d X\r\n%s\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    + "Content-Length: %d\r\n\r\n%s")
                .formatted(status, header, body.length(), body)));
    for (int time = 0; time < 5; time++) {
      assertThat(send(path, CLIENT_SECRET).status()).isNotEqualTo(200);
      assertThat(send(path, OTHER_SECRET).status()).isEqualTo(200);
    }
    upstream.drain();
    String id = path.substring(1, 2);
    Upstream used = Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
    Quota pool = used.pool(model, now());
    assertThat(used.health().onTrial()).isFalse();
    assertThat(used.pause(pool).ends(now())).isLessThanOrEqualTo(now());
    assertThat(pool.limits().getFirst().limit().capacity(now()))
        .as("nothing is learned from it")
        .isEqualTo(pool.limits().getFirst().limit().capacity());
  }
}
