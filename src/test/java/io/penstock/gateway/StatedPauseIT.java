package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.pool.UpstreamRegistry;
import io.penstock.suite.Hostile;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests providers that take no requests for hours or days, and say so: clients are told the end at
 * once, and the provider is left alone until then.
 */
@Hostile(Hostile.By.UPSTREAM)
class StatedPauseIT extends HostileCase {
  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        max_wait: 12
        upstreams: [{id: o, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
      - path: /anthropic
        dialect: anthropic
        max_wait: 12
        upstreams: [{id: a, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
      - path: /gemini
        dialect: gemini
        max_wait: 12
        upstreams: [{id: g, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
      - path: /mistral
        dialect: mistral
        max_wait: 12
        upstreams: [{id: m, url: "%1$s", api_key: sk-upstream, rpm: 6000}]
    """;
  }

  private static String call(String path) {
    return switch (path) {
      case "/openai" -> CHAT;
      case "/anthropic" -> MESSAGES;
      case "/mistral" -> "/mistral/v1/chat/completions";
      default -> "/gemini/v1beta/models/m:generateContent";
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          /openai    | Retry-After: 604800      | {"error":{"code":"rate_limit_exceeded"}} | 604800
          /openai    | Retry-After-Ms: 18000000 | {"error":{"code":"rate_limit_exceeded"}} | 18000
          /openai    | Retry-After: 90          | {"detail":"slow down"}                   | 90
          /openai|X: y|{"error":{"type":"usage_limit_reached","resets_in_seconds":602705}}|602705
          /openai|X: y|{"error":{"message":"Rate limit reached. Try again in 6h23m4.5s."}}|22985
          /anthropic | Retry-After: 18000       | {"error":{"type":"rate_limit_error"}}    | 59
          /gemini|X: y|{"error":{"code":429,"details":[{"retryDelay":"604800s"}]}}|604800
          /mistral   | Retry-After: 86400       | {"object":"error","type":"rate_limited"} | 86400
          """)
  void stated_isToldAtOnce_andTheProviderIsLeftAlone(
      String path, String header, String body, long seconds) throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            ("HTTP/1.1 429 X\r\n%s\r\nContent-Type: application/json\r\nConnection: close\r\n"
                    + "Content-Length: %d\r\n\r\n%s")
                .formatted(header, body.length(), body)));
    for (int time = 0; time < 3; time++) {
      HttpMessage answer = post(call(path), ASK);
      refused(answer, 429, "upstream_paused");
      assertThat(Long.parseLong(Objects.requireNonNull(answer.header("retry-after"))))
          .isBetween(seconds - 30, seconds);
    }
    assertThat(upstream.drain()).as("calls of the provider").isEqualTo(1);
    upstream.script(RawUpstream.answering(OK));
    UpstreamRegistry registry = gateway.bean(UpstreamRegistry.class);
    Objects.requireNonNull(registry.find(path.substring(1, 2))).retry();
    assertThat(post(call(path), ASK).status()).isEqualTo(200);
    assertThat(upstream.drain()).isEqualTo(1);
  }
}
