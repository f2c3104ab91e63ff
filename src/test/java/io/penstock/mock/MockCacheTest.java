package io.penstock.mock;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.mock.MockProvider.Bill;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MockCacheTest {
  private static final MockAddress ADDRESS =
      MockAddress.parse(URI.create("mock://anthropic?cache=10&itpm=130&tokens=3"));

  private final AtomicLong nowNanos = new AtomicLong();
  private final MockProvider provider = MockProvider.start(nowNanos::get, () -> 0);
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    provider.close();
    client.shutdownNow();
  }

  /** Returns a request of 105 tokens, 100 of which are marked. */
  private static String ask(String ttl) {
    return """
    {"model":"m","max_tokens":1000,"system":[{"type":"text","text":"%s",\
    "cache_control":{"type":"ephemeral","ttl":"%s"}}],\
    "messages":[{"role":"user","content":"Hi"}]}\
    """
        .formatted("x".repeat(400), ttl);
  }

  private static String stream(String ttl) {
    return ask(ttl).replace("{\"model\"", "{\"stream\":true,\"model\"");
  }

  private HttpResponse<String> send(String path, String body) throws Exception {
    URI uri = URI.create(provider.baseUrl(ADDRESS) + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    return client.send(
        body.isEmpty()
            ? request.build()
            : request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  @Test
  void answers_stateWhatWasWrittenAndRead_andTheBillCountsTheSame() throws Exception {
    assertThat(send("/v1/messages", ask("5m")).body())
        .contains(
            "\"usage\":{\"input_tokens\":5,\"cache_creation_input_tokens\":100,"
                + "\"cache_read_input_tokens\":0,\"cache_creation\":{"
                + "\"ephemeral_5m_input_tokens\":100,\"ephemeral_1h_input_tokens\":0},"
                + "\"output_tokens\":3");
    assertThat(send("/v1/messages", stream("5m")).body())
        .contains("{\"input_tokens\":5,\"cache_creation_input_tokens\":0,")
        .contains("\"cache_read_input_tokens\":100,");
    nowNanos.set(300_000_000_000L);
    assertThat(send("/v1/messages", ask("1h")).body())
        .contains("\"ephemeral_5m_input_tokens\":0,\"ephemeral_1h_input_tokens\":100");
    Bill bill = new Bill(3, 15, 100, 100, 100, 9);
    assertThat(provider.bills(ADDRESS)).isEqualTo(Map.of("m", bill));
    assertThat(send("/mock/bill", "").body())
        .isEqualTo(
            "{\"m\":{\"requests\":3,\"uncached\":15,\"cacheRead\":100,\"cacheWrite\":100,"
                + "\"cacheWriteHour\":100,\"output\":9}}");
  }

  @Test
  void limitOfInput_doesNotCountReads_andRefusesWhatIsOver() throws Exception {
    assertThat(send("/v1/messages", ask("5m")).statusCode()).isEqualTo(200);
    for (int i = 0; i < 5; i++) {
      HttpResponse<String> read = send("/v1/messages", ask("5m"));
      assertThat(read.statusCode()).isEqualTo(200);
      assertThat(read.headers().firstValue("anthropic-ratelimit-input-tokens-remaining"))
          .hasValue(Integer.toString(20 - 5 * i));
    }
    HttpResponse<String> over = send("/v1/messages", ask("5m"));
    assertThat(over.statusCode()).isEqualTo(429);
    assertThat(over.body()).contains("Rate limit on input tokens reached for m.");
    assertThat(over.headers().firstValue("retry-after")).hasValue("60");
    assertThat(provider.bills(ADDRESS)).isEqualTo(Map.of("m", new Bill(6, 30, 500, 100, 0, 18)));
    nowNanos.set(60_000_000_000L);
    assertThat(send("/v1/messages", ask("5m")).statusCode()).isEqualTo(200);
  }

  @Test
  void cacheThatStopsWorking_isWrittenAgain() throws Exception {
    send("/v1/messages", ask("5m"));
    provider.cachesReadable(ADDRESS, false);
    assertThat(send("/v1/messages", ask("5m")).statusCode()).isEqualTo(429);
    nowNanos.set(60_000_000_000L);
    assertThat(send("/v1/messages", ask("5m")).body()).contains("\"cache_read_input_tokens\":0,");
    provider.cachesReadable(ADDRESS, true);
    assertThat(send("/v1/messages", ask("5m")).body()).contains("\"cache_read_input_tokens\":100,");
  }

  @Test
  void countOfTokens_holdsTheWholePrompt() throws Exception {
    assertThat(send("/v1/messages/count_tokens", ask("5m")).body())
        .isEqualTo("{\"input_tokens\":105}");
    assertThat(send("/v1/messages/count_tokens", ask("2h")).statusCode()).isEqualTo(400);
  }
}
