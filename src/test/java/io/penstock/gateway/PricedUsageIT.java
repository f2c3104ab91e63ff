package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.fake.RunningGateway;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tests that usage is reported with its price. */
@SuppressWarnings("StringConcatToTextBlock") // as on the wire
class PricedUsageIT extends HostileCase {
  private static final String USED =
      "{\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":500,\"total_tokens\":1500}}";

  @Override
  String routes() {
    return """
    groups: [{name: team}]
    keys:
      - {name: alice, sha256: ALICE, group: team}
      - {name: bob, sha256: BOB}
    models:
      cheap: {price_per_mtok: {input: 2.5, output: 10}}
      dear: {price_per_mtok: {input: 75, output: 150}}
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s"}]
    """
        .replace("ALICE", KeyedRequestsIT.sha256("alice"))
        .replace("BOB", KeyedRequestsIT.sha256("bob"));
  }

  private void use(String key, String model) throws InterruptedException {
    upstream.script(
        RawUpstream.answering(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                + "Content-Length: "
                + USED.length()
                + "\r\n\r\n"
                + USED));
    HttpMessage answer =
        ask(
            ByteSocket.request(
                    "POST",
                    CHAT,
                    ASK.replace("\"m\"", "\"" + model + "\"")
                        .replace("\"max_tokens\":5", "\"max_tokens\":500"))
                .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n"));
    assertThat(answer.status()).isEqualTo(200);
    upstream.received();
    gateway.awaitBalance();
  }

  private HttpMessage operator(String request) {
    try (ByteSocket byteSocket = ByteSocket.to(gateway.operatorPort())) {
      return byteSocket
          .send(
              request
                  + " HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 0\r\n\r\n"
                      .formatted(gateway.operatorPort()))
          .answer();
    }
  }

  private JsonNode rows(String query) {
    return JsonMapper.shared().readTree(operator("GET /usage?" + query).text()).path("rows");
  }

  /** Runs as one sequence: usage is counted from the first request on. */
  @Test
  void usage_isPricedWherePricesAreKnown_asTheyAreNow() throws Exception {
    use("alice", "cheap");
    use("alice", "cheap");
    use("bob", "dear");
    RunningGateway.awaiting().until(() -> rows("group_by=key").size() == 2);
    JsonNode alice = rows("group_by=key").get(0);
    assertThat(alice.path("key").asString()).isEqualTo("alice");
    assertThat(alice.path("requests").asLong()).isEqualTo(2);
    assertThat(alice.path("input_tokens").asLong()).isEqualTo(2_000);
    assertThat(alice.path("output_tokens").asLong()).isEqualTo(1_000);
    assertThat(alice.path("price").decimalValue()).isEqualByComparingTo(new BigDecimal("0.015"));
    assertThat(rows("group_by=group").toString()).contains("\"group\":\"team\"");
    assertThat(operator("GET /usage?group_by=key,model&format=csv").text())
        .contains(
            "key,model,requests,input_tokens,output_tokens,price,uncached_input_tokens,"
                + "cache_read_tokens,cache_write_tokens,cache_write_1h_tokens\r\n")
        .containsPattern("alice,cheap,2,2000,1000,0\\.0150*,2000,0,0,0\r\n")
        .containsPattern("bob,dear,1,1000,500,0\\.150*,1000,0,0,0\r\n");

    use("bob", "unknown");
    JsonNode bob = rows("group_by=key").get(1);
    assertThat(bob.path("requests").asLong()).isEqualTo(2);
    assertThat(bob.has("price")).as("a sum with something of no price").isFalse();
    assertThat(operator("GET /usage?group_by=key&format=csv").text())
        .contains("bob,2,2000,1000,,2000,0,0,0\r\n");

    cheaper();
    assertThat(rows("group_by=model").get(0).path("price").decimalValue())
        .isEqualByComparingTo(new BigDecimal("0.01"));
  }

  private void cheaper() throws IOException {
    String routes = Files.readString(gateway.routes());
    Files.writeString(gateway.routes(), routes.replace("input: 2.5, output: 10", "input: 5"));
    assertThat(operator("POST /reload").status()).isEqualTo(200);
  }
}
