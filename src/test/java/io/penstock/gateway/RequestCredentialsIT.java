package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which credential an upstream gets, and by which name it is asked for a model. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class RequestCredentialsIT extends HostileCase {
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
      - path: /gemini-through
        dialect: gemini
        upstreams: [{id: gt, url: "%1$s", api_key: passthrough}]
      - path: /gemini-own
        dialect: gemini
        upstreams: [{id: go, url: "%1$s", api_key: "${SECRET}", models: {m: own-name}}]
    """;
  }

  private HttpMessage asked(String path) throws InterruptedException {
    ask("GET " + path + " HTTP/1.1\r\n" + HEADERS + "\r\n");
    return upstream.received();
  }

  @Test
  void passthrough_sendsTheClientsCredentialOn_notTheGateways() throws InterruptedException {
    HttpMessage asked = asked("/through/v1/files?key=ours&a=b");
    assertThat(asked.header("authorization")).isEqualTo("Bearer client");
    assertThat(asked.header("x-api-key")).isEqualTo("client");
    assertThat(asked.header("x-goog-api-key")).isEqualTo("client");
    assertThat(asked.header("x-penstock-key")).isNull();
    assertThat(asked.target()).isEqualTo("/v1/files?a=b");
  }

  @Test
  void ownCredential_replacesTheClients() throws InterruptedException {
    HttpMessage asked = asked("/own/v1/files");
    assertThat(asked.all("authorization")).containsExactly("Bearer " + UPSTREAM_SECRET);
    assertThat(asked.header("x-api-key")).isNull();
    assertThat(asked.header("x-penstock-key")).isNull();
  }

  @Test
  void alias_isReplacedByTheUpstreamsOwnName() throws InterruptedException {
    assertThat(post("/alias/v1/chat/completions", ASK).status()).isEqualTo(200);
    HttpMessage asked = upstream.received();
    assertThat(asked.text()).isEqualTo(ASK.replace("\"m\"", "\"big\\\"model\""));
    assertThat(asked.header("content-length")).isEqualTo("" + asked.body().length);
  }

  @ParameterizedTest
  @CsvSource({
    "/gemini-through/v1beta/files?key=client%2B1&a=b, /v1beta/files?a=b&key=client%2B1",
    "/gemini-through/v1beta/files?key=client%2B1, /v1beta/files?key=client%2B1",
    "/gemini-through/v1beta/files?a=b, /v1beta/files?a=b",
    "/gemini-own/v1beta/files?key=client&a=b, /v1beta/files?a=b"
  })
  void keyInAGeminiQuery_isTheClientsWherePassed_andElseNobodys(String path, String target)
      throws InterruptedException {
    assertThat(asked(path).target()).isEqualTo(target);
  }

  @Test
  void geminiHeader_isTheClientsWherePassed_andElseTheUpstreams() throws InterruptedException {
    assertThat(asked("/gemini-through/v1beta/files").all("x-goog-api-key"))
        .containsExactly("client");
    HttpMessage own = asked("/gemini-own/v1beta/files");
    assertThat(own.all("x-goog-api-key")).containsExactly(UPSTREAM_SECRET);
    assertThat(own.header("authorization")).isNull();
    assertThat(own.header("x-api-key")).isNull();
  }

  @Test
  void keyInAGeminiQuery_goesWithAStream() throws InterruptedException {
    String ask = "{\"contents\":[{\"parts\":[{\"text\":\"" + PROMPT + "\"}]}]}";
    String call = "/v1beta/models/m:streamGenerateContent?alt=sse";
    assertThat(post("/gemini-through" + call + "&key=client", ask).status()).isEqualTo(200);
    HttpMessage through = upstream.received();
    assertThat(through.target()).isEqualTo(call + "&key=client");
    assertThat(through.text()).isEqualTo(ask);
    assertThat(post("/gemini-own" + call + "&key=client", ask).status()).isEqualTo(200);
    HttpMessage own = upstream.received();
    assertThat(own.target()).isEqualTo(call.replace("/m:", "/own-name:"));
    assertThat(own.header("x-goog-api-key")).isEqualTo(UPSTREAM_SECRET);
  }
}
