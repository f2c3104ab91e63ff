package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.MetricsScrape;
import io.penstock.fake.RunningGateway;
import io.penstock.mock.MockAddress;
import io.penstock.mock.MockProvider;
import io.penstock.mock.MockProvider.Bill;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that usage with a provider's cache is reported with the price on the provider's bill. */
class CachedUsageIT {
  private static final MockAddress ADDRESS =
      MockAddress.parse(URI.create("mock://anthropic?cache=64&tokens=20"));
  private static final int REQUESTS = 200;
  private static final long MINUTE_NANOS = 60_000_000_000L;

  private static final String ROUTES =
      """
      keys:
        - {name: alice, sha256: ALICE}
        - {name: bob, sha256: BOB}
      models:
        priced: {price_per_mtok: {input: 3, output: 15, cache_read: 0.3, cache_write: 3.75, \
      cache_write_1h: 6}}
        plain: {price_per_mtok: {input: 3, output: 15}}
      endpoints:
        - path: /a
          dialect: anthropic
          upstreams: [{id: a, url: "URL"}]
      """
          .replace("ALICE", KeyedRequestsIT.sha256("alice"))
          .replace("BOB", KeyedRequestsIT.sha256("bob"));

  private final AtomicLong providerNanos = new AtomicLong();
  private final Random random = new Random(33);

  private static BigDecimal price(String perMtok, long tokens) {
    return new BigDecimal(perMtok).multiply(BigDecimal.valueOf(tokens)).movePointLeft(6);
  }

  private static String block(int number, String mark) {
    return "{\"type\":\"text\",\"text\":\"%s\"%s}"
        .formatted(("part " + number + " ").repeat(100 + number), mark);
  }

  private static String mark(String life) {
    return ",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"" + life + "\"}";
  }

  /** Returns a prompt with no mark, one or two, of either lifetime. */
  private String prompt(String model) {
    String system =
        switch (random.nextInt(4)) {
          case 0 -> block(random.nextInt(5), "");
          case 1 -> block(random.nextInt(5), mark("5m"));
          case 2 -> block(random.nextInt(5), mark("1h"));
          default -> block(1, mark("1h")) + "," + block(random.nextInt(5), mark("5m"));
        };
    return "{\"model\":\"%s\",\"max_tokens\":%d,\"stream\":%s,\"system\":[%s],%s}"
        .formatted(
            model,
            1 + random.nextInt(30),
            random.nextBoolean(),
            system,
            "\"messages\":[{\"role\":\"user\",\"content\":\"Question " + random.nextInt() + "\"}]");
  }

  @Test
  void price_isThatOfTheProvidersBill_whateverWasCached() throws Exception {
    try (MockProvider provider = MockProvider.start(providerNanos::get);
        RunningGateway gateway =
            RunningGateway.start(ROUTES.replace("URL", provider.baseUrl(ADDRESS).toString()));
        HttpClient client = HttpClient.newHttpClient()) {
      URI url = URI.create("http://localhost:" + gateway.port() + "/a/v1/messages");
      for (int i = 0; i < REQUESTS; i++) {
        providerNanos.addAndGet(random.nextInt(12) == 0 ? 20 * MINUTE_NANOS : MINUTE_NANOS / 20);
        HttpRequest request =
            HttpRequest.newBuilder(url)
                .header("x-penstock-key", random.nextBoolean() ? "alice" : "bob")
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(prompt(i % 4 == 0 ? "plain" : "priced")))
                .build();
        HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      }
      gateway.awaitBalance();
      Map<String, Bill> bills = provider.bills(ADDRESS);
      JsonNode rows =
          JsonMapper.shared()
              .readTree(operator(client, gateway, "/usage?group_by=model"))
              .path("rows");
      assertThat(rows.size()).isEqualTo(2);
      for (JsonNode row : rows) {
        Bill bill = bills.get(row.path("model").asString());
        assertThat(bill).isNotNull();
        assertThat(List.of(bill.uncached(), bill.cacheRead(), bill.cacheWrite()))
            .as("the requests used everything")
            .allMatch(tokens -> tokens > 0);
        assertThat(bill.cacheWriteHour()).isPositive();
        assertSame(row, bill);
      }
      assertSameMetrics(
          MetricsScrape.parse(operator(client, gateway, "/actuator/prometheus")), bills);
    }
  }

  private static void assertSame(JsonNode row, Bill bill) {
    assertThat(row.path("requests").asLong()).isEqualTo(bill.requests());
    assertThat(row.path("uncached_input_tokens").asLong()).isEqualTo(bill.uncached());
    assertThat(row.path("cache_read_tokens").asLong()).isEqualTo(bill.cacheRead());
    assertThat(row.path("cache_write_tokens").asLong()).isEqualTo(bill.cacheWrite());
    assertThat(row.path("cache_write_1h_tokens").asLong()).isEqualTo(bill.cacheWriteHour());
    assertThat(row.path("output_tokens").asLong()).isEqualTo(bill.output());
    long input = bill.uncached() + bill.cacheRead() + bill.cacheWrite() + bill.cacheWriteHour();
    assertThat(row.path("input_tokens").asLong()).isEqualTo(input);
    BigDecimal billed =
        row.path("model").asString().equals("plain")
            ? price("3", input)
            : price("3", bill.uncached())
                .add(price("0.3", bill.cacheRead()))
                .add(price("3.75", bill.cacheWrite()))
                .add(price("6", bill.cacheWriteHour()));
    assertThat(row.path("price").decimalValue())
        .isEqualByComparingTo(billed.add(price("15", bill.output())));
  }

  private static void assertSameMetrics(MetricsScrape scrape, Map<String, Bill> bills) {
    bills.forEach(
        (model, bill) -> {
          Map<String, Long> expected =
              Map.of(
                  "none", bill.uncached(),
                  "read", bill.cacheRead(),
                  "write", bill.cacheWrite(),
                  "write_1h", bill.cacheWriteHour());
          expected.forEach(
              (cache, tokens) ->
                  assertThat(
                          scrape.sum(
                              "penstock_input_tokens_total",
                              Map.of("model", model, "cache", cache)))
                      .isEqualTo((double) tokens));
        });
    assertThat(scrape.values("penstock_input_tokens_total", "key"))
        .containsExactlyInAnyOrder("alice", "bob");
  }

  private static String operator(HttpClient client, RunningGateway gateway, String path)
      throws Exception {
    URI url = URI.create("http://127.0.0.1:" + gateway.operatorPort() + path);
    return client.send(HttpRequest.newBuilder(url).build(), BodyHandlers.ofString()).body();
  }
}
