package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RunningGateway;
import io.penstock.gateway.body.BodyBudget;
import org.junit.jupiter.api.Test;

/** Tests a gateway behind a proxy that it is configured to trust. */
class TrustedProxyIT extends HostileCase {
  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        forward_headers: [x-forwarded-*, x-real-ip]
        upstreams: [{id: o, url: "%1$s"}]
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {
      "--spring.cloud.gateway.server.webflux.trusted-proxies=127\\.0\\.0\\.1|203\\.0\\.113\\..*",
      "--penstock.max-buffered-bytes=1000000"
    };
  }

  private static String head(String client, int length) {
    return "POST %s HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(CHAT, client, length);
  }

  @Test
  void clientsBehindATrustedProxy_haveSharesOfTheirOwnOfTheMemoryForBodies() throws Exception {
    BodyBudget bodies = gateway.bean(BodyBudget.class);
    int length = 300_000;
    String body = ASK.replace(PROMPT, "x".repeat(length - ASK.length() + PROMPT.length()));
    try (ByteSocket one = connect();
        ByteSocket more = connect()) {
      one.send(head("198.51.100.1", length)).send("{");
      RunningGateway.awaiting().until(() -> bodies.heldBytes() == length);
      more.send(head("198.51.100.1", length)).send("{");
      RunningGateway.awaiting().until(() -> bodies.waiting() == 1);
      assertThat(ask(head("198.51.100.2, 203.0.113.9", length) + body).status()).isEqualTo(200);
      assertThat(upstream.received().body()).hasSize(length);
      assertThat(bodies.waiting()).isEqualTo(1);
    }
  }

  @Test
  void whatATrustedProxySaysOfTheClient_reachesTheUpstream() throws InterruptedException {
    HttpMessage answer =
        ask(
            "POST %s HTTP/1.1\r\nHost: gateway.example\r\nX-Forwarded-For: 203.0.113.9\r\n"
                    .formatted(CHAT)
                + "X-Forwarded-Proto: https\r\nContent-Type: application/json\r\n"
                + "Content-Length: %d\r\n\r\n%s".formatted(ASK.length(), ASK));

    assertThat(answer.status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.all("x-forwarded-for")).containsExactly("203.0.113.9,127.0.0.1");
    assertThat(asked.header("x-forwarded-proto")).startsWith("https");
    assertThat(asked.header("x-real-ip")).isEqualTo("203.0.113.9");
  }
}
