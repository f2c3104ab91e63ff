package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** Tests clients that offer to go on in HTTP/2 without TLS, as Java's own client does. */
class H2cUpgradeIT extends HostileCase {
  private static final String LARGE = ASK.replace(PROMPT, PROMPT + "word ".repeat(100_000));

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s"}]}
      - {path: /permit, algorithm: none}
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {"--server.http2.enabled=true"};
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + path))
        .timeout(PatientWaits.LONGEST);
  }

  @Test
  void offerWithALargeBody_isServedOverHttp1() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      for (int i = 0; i < 2; i++) {
        HttpResponse<String> answer =
            client.send(
                request(CHAT).POST(BodyPublishers.ofString(LARGE)).build(),
                BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(answer.version()).isEqualTo(Version.HTTP_1_1);
        assertThat(upstream.received().text()).isEqualTo(LARGE);
      }
    }
  }

  @Test
  void offerWithoutABody_isAccepted_andBodiesFollowOverHttp2() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpResponse<String> permit =
          client.send(request("/permit").GET().build(), BodyHandlers.ofString());
      assertThat(permit.statusCode()).isEqualTo(200);
      assertThat(permit.version()).isEqualTo(Version.HTTP_2);
      HttpResponse<String> answer =
          client.send(
              request(CHAT).POST(BodyPublishers.ofString(LARGE)).build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.version()).isEqualTo(Version.HTTP_2);
      HttpMessage received = upstream.received();
      assertThat(received.text()).isEqualTo(LARGE);
      assertThat(received.headers()).noneMatch(line -> line.regionMatches(true, 2, "http2", 0, 5));
    }
  }

  @Test
  void offerInChunks_isIgnoredAndOtherOptionsOfTheConnectionStay() throws Exception {
    try (ByteSocket byteSocket = connect()) {
      HttpMessage answer =
          byteSocket
              .send(
                  String.join(
                      "\r\n",
                      "POST /openai/v1/chat/completions HTTP/1.1",
                      "Host: a",
                      "Connection: Upgrade, HTTP2-Settings, close",
                      "Upgrade: h2c",
                      "HTTP2-Settings: AAMAAABkAAQAAP__",
                      "Transfer-Encoding: chunked",
                      "",
                      ""))
              .chunk(ASK)
              .send("0\r\n\r\n")
              .answer();
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.header("connection")).isEqualTo("close");
    }
    HttpMessage received = upstream.received();
    assertThat(received.text()).isEqualTo(ASK);
    assertThat(received.header("upgrade")).isNull();
    assertThat(received.header("http2-settings")).isNull();
  }
}
