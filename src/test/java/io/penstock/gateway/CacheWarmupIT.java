package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.RunningGateway;
import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.mock.MockProvider.Bill;
import io.penstock.time.Ticker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that of equal prompts sent at once one writes the provider's cache for all. */
class CacheWarmupIT {
  private static final int REQUESTS = 50;
  private static final MockAddress ADDRESS =
      MockAddress.parse(URI.create("mock://anthropic?cache=1024&tokens=5&latency=300ms"));

  private static final String BODY =
      """
      {"model":"claude","max_tokens":20,"stream":true,"system":[{"type":"text","text":"%s",\
      "cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":"Hello"}]}\
      """
          .formatted("a rule to follow, whatever comes. ".repeat(400));

  private static Bill bill(String settings) throws Exception {
    String routes =
        """
        endpoints:
          - path: /a
            dialect: anthropic
            %s
            upstreams: [{id: a, url: "URL"}]
        """
            .formatted(settings);
    try (MockProvider provider = MockProvider.start(Ticker.system());
        RunningGateway gateway =
            RunningGateway.start(routes.replace("URL", provider.baseUrl(ADDRESS).toString()));
        HttpClient client = HttpClient.newHttpClient()) {
      URI url = URI.create("http://localhost:" + gateway.port() + "/a/v1/messages");
      HttpRequest request =
          HttpRequest.newBuilder(url)
              .header("content-type", "application/json")
              .POST(HttpRequest.BodyPublishers.ofString(BODY))
              .build();
      List<CompletableFuture<HttpResponse<String>>> answers =
          Stream.generate(() -> client.sendAsync(request, BodyHandlers.ofString()))
              .limit(REQUESTS)
              .toList();
      for (CompletableFuture<HttpResponse<String>> each : answers) {
        HttpResponse<String> answer = each.get();
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      }
      gateway.awaitBalance();
      Map<String, Bill> bills = provider.bills(ADDRESS);
      return bills.get("claude");
    }
  }

  @Test
  void equalNewPrompts_areWrittenOnceAndReadByAllOthers() throws Exception {
    Bill bill = bill("");
    assertThat(bill.requests()).isEqualTo(REQUESTS);
    assertThat(bill.cacheWrite()).isGreaterThan(1_024);
    assertThat(bill.cacheRead()).isEqualTo((REQUESTS - 1) * bill.cacheWrite());
  }

  @Test
  void withoutWarmup_allOfThemWrite() throws Exception {
    Bill bill = bill("cache_warmup: 0");
    assertThat(bill.cacheRead()).isLessThan((REQUESTS - 1) * bill.cacheWrite() / 2);
  }
}
