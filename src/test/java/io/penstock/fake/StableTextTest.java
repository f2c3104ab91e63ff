package io.penstock.fake;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StableTextTest {
  private static final StableText STABLE =
      new StableText(Instant.parse("2026-11-24T12:00:00Z")).name("127.0.0.1:4711", "GATEWAY");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '!',
      value = {
        "http://127.0.0.1:4711/a | http://GATEWAY/a",
        "at 2026-11-24T11:59:58.123Z | at <instant>",
        "\"at\":\"2026-12-01T00:00:00Z\" | \"at\":\"<instant>\"",
        "x-request-id: 2bf20bc4-9a7d-c61b-e612-8915d09c8fac | x-request-id: <uuid>",
        "psk_YfLDcjFebEIaUmjfsazyj3Wwa92Yfx9eU3ibHSMfm1O4T3LQK. | <secret>.",
        "{\"queued_for_ms\":12,\"queue_depth\":3} | {\"queued_for_ms\":<ms>,\"queue_depth\":3}",
        "x-penstock-queued-ms: 0 | x-penstock-queued-ms: <ms>",
        "\"created\":1795000000,\"a\":1 | \"created\":<seconds>,\"a\":1",
        "{\"id\":\"4f9953b1c7f0859849dad583312b8cf5\"} | {\"id\":\"<id>\"}",
        "chatcmpl-mock-12 and req_mock_3 | chatcmpl-mock-<number> and req_mock_<number>",
        "it waited 0.3 s, the longest | it waited <seconds> s, the longest",
        "\"took_ms\":64 | \"took_ms\":<ms>",
        "Retry-After: 59 | Retry-After: <up to 60 s>",
        "Retry-After: 61 | Retry-After: <up to 60 s>",
        "retry-after-ms: 60051 | retry-after-ms: <up to 60 s>",
        "\"retry_after_ms\":86399990 | \"retry_after_ms\":<up to 86400 s>",
        "\"retryDelay\":\"59.123s\" | \"retryDelay\":\"<up to 60 s>s\"",
        "\"key-rpm\";r=2;t=61, \"b\";r=1;t=5 | \"key-rpm\";r=2;t=<up to 60 s>, \"b\";r=1;t=5",
        "x-ratelimit-reset-tokens: 1m0.051s | x-ratelimit-reset-tokens: <up to 60 s>",
      })
  void whatDiffersFromRunToRun_isReplaced(String text, String stable) {
    assertThat(STABLE.of(text)).isEqualTo(stable);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://127.0.0.1:4712/a",
        "\"expires_at\":\"2099-01-31T00:00:00Z\"",
        "Retry-After: 1",
        "\"created\":1735689600",
        "\"network_latency_ms\":0",
        "\"sha256\":\"81b637d8fcd2c6da6359e6963113a1170de795e4b725b84d1e0b4cfd9ec58ce9\"",
        "retry-after-ms: 1000",
        "Retry-After: 44",
        "Retry-After: 63",
        "\"retry_after_ms\":null",
        "x-ratelimit-reset-requests: 6s",
        "\"max_queue_size\":1000",
        "psk_short",
        "HTTP/1.1 429 Too Many Requests"
      })
  void whatIsTheSameInEveryRun_stays(String text) {
    assertThat(STABLE.of(text)).isEqualTo(text);
  }

  @Test
  void textOfManyLines_keepsAllOfThem() {
    assertThat(STABLE.of("a\nretry-after: 60\n\nb\n"))
        .isEqualTo("a\nretry-after: <up to 60 s>\n\nb\n");
  }
}
