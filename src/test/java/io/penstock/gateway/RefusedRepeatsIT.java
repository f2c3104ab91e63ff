package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.limit.LearnedCeiling;
import io.penstock.pool.Upstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.quota.Quota;
import io.penstock.time.Ticker;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what is learned from an upstream that refuses a request whenever it is repeated. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class RefusedRepeatsIT extends HostileCase {
  private static final String GEMINI_ERROR =
      "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"message\":\"Slow down\","
          + "\"details\":[{\"@type\":\"type.googleapis.com/google.rpc.RetryInfo\","
          + "\"retryDelay\":\"0.001s\"}]}}";

  @Override
  String routes() {
    return """
    endpoints:
      - {path: /openai, dialect: openai, upstreams: [{id: o, url: "%1$s", rpm: 600}]}
      - {path: /anthropic, dialect: anthropic, upstreams: [{id: a, url: "%1$s", rpm: 600}]}
      - {path: /gemini, dialect: gemini, upstreams: [{id: g, url: "%1$s", rpm: 600}]}
      - {path: /other, dialect: openai, upstreams: [{id: p, url: "%1$s", rpm: 600}]}
      - {path: /next, dialect: openai, upstreams: [{id: n, url: "%1$s", rpm: 600}]}
      - {path: /zero, dialect: openai, upstreams: [{id: z, url: "%1$s", rpm: 600}]}
    """;
  }

  private static String refusal(String header, String body) {
    return "HTTP/1.1 429 X\r\nContent-Type: application/json\r\n"
        + header
        + "Connection: close\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  private void refuses(int times, String refusal) {
    AtomicInteger asked = new AtomicInteger();
    upstream.script(
        (self, byteSocket) -> {
          self.read(byteSocket);
          byteSocket.send(asked.getAndIncrement() < times ? refusal : OK);
        });
  }

  private Upstream upstreamOf(String id) {
    return Objects.requireNonNull(gateway.bean(UpstreamRegistry.class).find(id));
  }

  private long now() {
    return gateway.bean(Ticker.class).nanos();
  }

  private long rpm(String id) {
    Quota pool = upstreamOf(id).pool("m", now());
    LearnedCeiling ceiling = pool.limits().getFirst().limit().feedback().ceiling(now());
    return ceiling == null ? 600 : ceiling.amount();
  }

  @ParameterizedTest
  @CsvSource({
    "o, /openai/v1/chat/completions, retry-after-ms: 1, {}",
    "p, /other/v1/chat/completions, Retry-After: 0.001, {}",
    "a, /anthropic/v1/messages, Retry-After: 0.001, {}",
    "g, /gemini/v1beta/models/m:generateContent, X: y, GEMINI",
  })
  void requestThatIsRefusedFiveTimes_lowersTheLimitOnce(
      String id, String target, String header, String body) {
    refuses(5, refusal(header + "\r\n", body.equals("GEMINI") ? GEMINI_ERROR : body));
    assertThat(post(target, ASK).status()).isEqualTo(200);
    assertThat(rpm(id)).isGreaterThanOrEqualTo(300).isLessThan(600);
    assertThat(upstream.drain()).isEqualTo(6);
  }

  @Test
  void nextRequestThatIsRefused_lowersTheLimitAgain() {
    for (int each = 0; each < 2; each++) {
      refuses(2, refusal("retry-after-ms: 1\r\n", "{}"));
      assertThat(post("/next/v1/chat/completions", ASK).status()).isEqualTo(200);
    }
    assertThat(rpm("n")).isBetween(150L, 299L);
    assertThat(upstream.drain()).isEqualTo(6);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "retry-after-ms: 0",
        "Retry-After: 0",
        "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT",
      })
  void statedTimeThatIsNone_pausesThePool(String header) {
    refuses(1, refusal(header + "\r\n", "{}"));
    long before = upstreamOf("z").pause(upstreamOf("z").pool("m", now())).throttled();
    long sent = now();
    assertThat(post("/zero/v1/chat/completions", ASK).status()).isEqualTo(200);
    assertThat(now() - sent).as("the least back-off").isGreaterThan(500_000_000L);
    assertThat(upstreamOf("z").pause(upstreamOf("z").pool("m", now())).throttled())
        .isEqualTo(before + 1);
    upstream.drain();
  }
}
