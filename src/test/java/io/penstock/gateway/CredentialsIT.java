package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.Message;
import org.junit.jupiter.api.Test;

/** Whose credential an upstream sees, and under which name it is asked for a model. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class CredentialsIT extends HostileCase {
  private static final String HEADERS =
      "Host: a\r\nAuthorization: Bearer client\r\nx-api-key: client\r\nx-penstock-key: ours\r\n"
          + "x-goog-api-key: client\r\nContent-Type: application/json\r\n";

  @Override
  String routes() {
    return """
    defaults: {dialect: openai}
    endpoints:
      - path: /through
        upstreams: [{id: t, url: "%1$s", api_key: passthrough}]
      - path: /own
        upstreams: [{id: o, url: "%1$s", api_key: "${SECRET}"}]
      - path: /alias
        upstreams: [{id: a, url: "%1$s", models: {m: "big\\"model"}}]
    """;
  }

  private Message asked(String path) throws InterruptedException {
    ask("GET " + path + " HTTP/1.1\r\n" + HEADERS + "\r\n");
    return upstream.received();
  }

  @Test
  void passthrough_sendsTheClientsCredentialOn_notTheGateways() throws InterruptedException {
    Message asked = asked("/through/v1/files?key=ours&a=b");
    assertThat(asked.header("authorization")).isEqualTo("Bearer client");
    assertThat(asked.header("x-api-key")).isEqualTo("client");
    assertThat(asked.header("x-goog-api-key")).isEqualTo("client");
    assertThat(asked.header("x-penstock-key")).isNull();
    assertThat(asked.target()).isEqualTo("/v1/files?a=b");
  }

  @Test
  void ownCredential_replacesTheClients() throws InterruptedException {
    Message asked = asked("/own/v1/files");
    assertThat(asked.all("authorization")).containsExactly("Bearer " + UPSTREAM_SECRET);
    assertThat(asked.header("x-api-key")).isNull();
    assertThat(asked.header("x-penstock-key")).isNull();
  }

  @Test
  void alias_isReplacedByTheUpstreamsOwnName() throws InterruptedException {
    assertThat(post("/alias/v1/chat/completions", ASK).status()).isEqualTo(200);
    Message asked = upstream.received();
    assertThat(asked.text()).isEqualTo(ASK.replace("\"m\"", "\"big\\\"model\""));
    assertThat(asked.header("content-length")).isEqualTo("" + asked.body().length);
  }
}
