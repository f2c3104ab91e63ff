package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.PatientWaits;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.netty.ByteBufFlux;
import reactor.netty.http.HttpProtocol;
import reactor.netty.http.client.HttpClient;

/** Tests that answers with up to 64 KiB of headers pass, and larger ones are asked for once. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class LargeHeadIT extends HostileCase {
  private static final String KEY = "dGhlIHNhbXBsZSBub25jZQ==";

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: openai, url: "%1$s"}]}
      - {path: /anthropic, dialect: anthropic, upstreams: [{id: anthropic, url: "%1$s"}]}
      - {path: /gemini, dialect: gemini, upstreams: [{id: gemini, url: "%1$s"}]}
      - {path: /none, dialect: none, upstreams: [{id: none, url: "%1$s"}]}
    """;
  }

  @Override
  String[] arguments() {
    return new String[] {"--server.http2.enabled=true"};
  }

  /** Returns an answer with that many headers of a kilobyte. */
  private static String answer(String start, int kilobytes) {
    StringBuilder head = new StringBuilder("HTTP/1.1 ").append(start).append("\r\n");
    for (int i = 0; i < kilobytes; i++) {
      head.append("X-Part-%04d: %s\r\n".formatted(i, "x".repeat(1_010)));
    }
    return head + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  }

  private static String one(int bytes) {
    return OK.replace("Content-Type", "X-Policy: " + "x".repeat(bytes) + "\r\nContent-Type");
  }

  private static void parts(HttpMessage answer, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(answer.header("x-part-%04d".formatted(i))).hasSize(1_010);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/openai/v1/chat/completions, 200 OK, 12",
    "/openai/v1/chat/completions, 200 OK, 62",
    "/openai/v1/chat/completions, 400 Bad, 62",
    "/anthropic/v1/messages, 200 OK, 62",
    "/gemini/v1beta/models/m:generateContent, 200 OK, 62",
    "/openai/v1/files, 200 OK, 62",
    "/none/anything, 200 OK, 62",
  })
  void headOfManyHeaders_passes(String target, String start, int kilobytes) {
    upstream.script(RawUpstream.answering(answer(start, kilobytes)));
    HttpMessage answer = post(target, ASK);
    assertThat(answer.start()).startsWith("HTTP/1.1 " + start.substring(0, 3));
    assertThat(answer.text()).isEqualTo("{}");
    parts(answer, kilobytes);
    upstream.received();
  }

  @ParameterizedTest
  @ValueSource(ints = {12_000, 64_000})
  void oneLargeHeader_passes(int bytes) {
    upstream.script(RawUpstream.answering(one(bytes)));
    HttpMessage answer = post(CHAT, ASK);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("x-policy")).hasSize(bytes);
    upstream.received();
  }

  @Test
  void clientOverHttp2_getsALargeHead() throws Exception {
    upstream.script(RawUpstream.answering(answer("200 OK", 40)));
    String part =
        PatientWaits.get(
            HttpClient.newConnection()
                .protocol(HttpProtocol.H2C)
                .http2Settings(settings -> settings.maxHeaderListSize(1 << 20))
                .headers(headers -> headers.set(HttpHeaderNames.CONTENT_TYPE, "application/json"))
                .request(HttpMethod.POST)
                .uri("http://127.0.0.1:" + gateway.port() + CHAT)
                .send(ByteBufFlux.fromString(Mono.just(ASK)))
                .responseSingle(
                    (head, body) -> Mono.justOrEmpty(head.responseHeaders().get("x-part-0039")))
                .toFuture());
    assertThat(part).hasSize(1_010);
    upstream.received();
  }

  @Test
  void upgradeThatIsRefusedWithALargeHead_passes() {
    upstream.script(RawUpstream.answering(answer("403 No", 40)));
    HttpMessage answer = upgrade();
    assertThat(answer.status()).isEqualTo(403);
    parts(answer, 40);
    upstream.received();
  }

  private HttpMessage upgrade() {
    return ask(
        ("GET /openai/v1/realtime HTTP/1.1\r\n"
                + "Host: a\r\n"
                + "Connection: Upgrade\r\n"
                + "Upgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: %s\r\n\r\n")
            .formatted(KEY));
  }

  @ParameterizedTest
  @CsvSource({
    "openai, /openai/v1/chat/completions",
    "anthropic, /anthropic/v1/messages",
    "none, /none/anything",
  })
  void largerHead_is502_afterOneCall_andIsNotHeldAgainstTheUpstream(String id, String target) {
    upstream.script(RawUpstream.answering(one(70_000)));
    int before = upstream.connections();
    for (int i = 0; i < 4; i++) {
      HttpMessage answer = post(target, ASK);
      refused(answer, 502, "upstream_unreachable");
      assertThat(answer.text()).contains("more than 64 KiB of headers");
    }
    assertThat(upstream.connections()).isEqualTo(before + 4);
    Upstream of = Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
    assertThat(of.health().onTrial()).isFalse();
    upstream.drain();
  }

  @Test
  void upgradeWithALargerHead_is502() {
    upstream.script(RawUpstream.answering(one(70_000)));
    refused(upgrade(), 502, "upstream_unreachable");
    upstream.drain();
  }
}
