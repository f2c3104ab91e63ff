package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests methods, and headers in which a client could state another method or path. */
class MethodIT extends HostileCase {
  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
      - path: /plain
        dialect: none
        upstreams: [{id: n, url: "%1$s", headers: {X-Original-URL: /mine}}]
      - path: /permit
        algorithm: none
    """;
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "post",
        "Post",
        "pOST",
        "POSTS",
        "get",
        "TRACE",
        "PROPFIND",
        "PURGE",
        "QUERY",
        "_"
      })
  void methodThatIsNotKnown_isRefused(String method) {
    for (String target : new String[] {CHAT, FILES, "/plain/x"}) {
      HttpMessage answer = ask(ByteSocket.request(method, target, ASK));
      refused(answer, 400, "bad_request");
      assertThat(answer.text()).contains("the method is not known, expected GET, HEAD, POST, PUT");
    }
    assertThat(ask(ByteSocket.request(method, "/permit", "")).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
  void knownMethod_isPassedOn(String method) throws Exception {
    assertThat(ask(ByteSocket.request(method, "/plain/x", "")).status()).isEqualTo(200);
    assertThat(upstream.received().start()).isEqualTo(method + " /x HTTP/1.1");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1/chat/completions",
        "/openai/v1/chat/completion%73;x",
        "/openai/v1/responses",
        "/openai/v1/messages",
        "/openai/v1/models/m:generateContent",
        "/openai/v1/batches",
      })
  void callThatAPostMakes_isRefusedByAnotherMethod(String target) throws Exception {
    for (String method : new String[] {"PUT", "PATCH"}) {
      HttpMessage answer = ask(ByteSocket.request(method, target, ASK));
      refused(answer, 405, "method_not_allowed");
      assertThat(answer.header("allow")).isEqualTo("POST");
      assertThat(ask(ByteSocket.request(method, FILES, ASK)).status()).isEqualTo(200);
      upstream.received();
    }
    assertThat(ask(ByteSocket.request("GET", target, "")).status()).isEqualTo(200);
    upstream.received();
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "X-HTTP-Method-Override",
        "X-HTTP-Method",
        "X-Method-Override",
        "x-original-method",
        "X-Original-URL",
        "X-Original-URI",
        "X-Rewrite-URL",
        "X-Rewrite-Uri",
        "X-Override-URL",
        "X_HTTP_METHOD_OVERRIDE",
        "X-Original_URL",
        "X-HTTP2-Path",
        "x-http2-scheme",
        "x-http2-stream-id",
        "HTTP2-Settings",
      })
  void headerThatStatesAnotherMethodOrPath_isNotPassedOn(String header) throws Exception {
    HttpMessage answer =
        ask(
            "GET /openai/v1/files HTTP/1.1\r\nHost: a\r\n"
                + header
                + ": POST\r\nX-Original: kept\r\n\r\n");
    assertThat(answer.status()).isEqualTo(200);
    HttpMessage received = upstream.received();
    assertThat(received.header(header)).isNull();
    assertThat(received.header("x-original")).isEqualTo("kept");
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void headerOfTheUpstreamsOwnSettings_isSet() throws Exception {
    assertThat(ask("GET /plain/x HTTP/1.1\r\nHost: a\r\nX-Original-URL: /other\r\n\r\n").status())
        .isEqualTo(200);
    assertThat(upstream.received().all("x-original-url")).containsExactly("/mine");
  }
}
