package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.Message;
import org.junit.jupiter.api.Test;

/** A gateway behind a proxy that it was told to trust. */
class TrustedProxyIT extends HostileCase {
  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--spring.cloud.gateway.server.webflux.trusted-proxies=127\\.0\\.0\\.1|203\\.0\\.113\\..*"
    };
  }

  @Test
  void whatATrustedProxySaysOfTheClient_reachesTheUpstream() throws InterruptedException {
    Message answer =
        ask(
            "POST %s HTTP/1.1\r\nHost: gateway.example\r\nX-Forwarded-For: 203.0.113.9\r\n"
                    .formatted(CHAT)
                + "X-Forwarded-Proto: https\r\nContent-Type: application/json\r\n"
                + "Content-Length: %d\r\n\r\n%s".formatted(ASK.length(), ASK));

    assertThat(answer.status()).isEqualTo(200);
    Message asked = upstream.received();
    assertThat(asked.all("x-forwarded-for")).containsExactly("203.0.113.9,127.0.0.1");
    assertThat(asked.header("x-forwarded-proto")).startsWith("https");
  }
}
