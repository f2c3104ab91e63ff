package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.ByteSocket;
import io.penstock.fake.HttpMessage;
import io.penstock.fake.RawUpstream;
import io.penstock.suite.Hostile;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that what answers to one key teach decides nothing for other keys, or for good. */
class LearnedCostIT extends HostileCase {
  private static final int TOKENS = 1_000;
  private static final String TEXT = "word".repeat(TOKENS);

  @Override
  String routes() {
    StringBuilder routes = new StringBuilder("keys:\n");
    for (String key : List.of("alice", "bob", "carol", "mallory")) {
      routes.append("  - {name: %s, sha256: %s}\n".formatted(key, KeyedRequestsIT.sha256(key)));
    }
    routes.append(
        "  - {name: dora, tpm: 2000, sha256: %s}\n".formatted(KeyedRequestsIT.sha256("dora")));
    routes.append(
        "  - {name: wil, tpm: 2000, on_limit: wait, sha256: %s}\n"
            .formatted(KeyedRequestsIT.sha256("wil")));
    return routes
        + """
        endpoints:
          - path: /openai
            dialect: openai
            upstreams: [{id: o, url: "%1$s"}]
          - path: /azure
            dialect: azure
            upstreams: [{id: z, url: "%1$s"}]
          - path: /anthropic
            dialect: anthropic
            upstreams: [{id: a, url: "%1$s"}]
          - path: /gemini
            dialect: gemini
            upstreams: [{id: g, url: "%1$s"}]
          - path: /mistral
            dialect: mistral
            upstreams: [{id: m, url: "%1$s"}]
          - path: /input
            dialect: openai
            upstreams: [{id: i, url: "%1$s", itpm: 2000, burst_seconds: 60}]
          - path: /total
            dialect: openai
            upstreams: [{id: t, url: "%1$s", charge: total, tpm: 2000, burst_seconds: 60}]
          - path: /stated
            dialect: openai
            upstreams: [{id: s, url: "%1$s", tpm: 2000, burst_seconds: 60}]
          - path: /bedrock
            dialect: openai
            upstreams: [{id: b, url: "%1$s", charge: bedrock, tpm: 2000, burst_seconds: 60}]
          - path: /two
            dialect: openai
            upstreams:
              - {id: small, url: "%1$s", itpm: 900, burst_seconds: 60}
              - {id: large, url: "%1$s", itpm: 2000, burst_seconds: 60}
        """;
  }

  private HttpMessage call(String key, String target, String body) {
    return ask(
        ByteSocket.request("POST", target, body)
            .replace("Host: penstock\r\n", "Host: a\r\nx-penstock-key: " + key + "\r\n"));
  }

  private HttpMessage served(String key, String target, String body) throws InterruptedException {
    HttpMessage answer = call(key, target, body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    upstream.received();
    return answer;
  }

  private static int cost(HttpMessage answer) {
    return Integer.parseInt(String.valueOf(answer.header("x-penstock-cost")));
  }

  private static String chat(String model, String members) {
    return "{\"model\":\"%s\",\"max_tokens\":5,%s\"messages\":[{\"content\":\"%s\"}]}"
        .formatted(model, members, TEXT);
  }

  /** Has the upstream count so many tokens of input. */
  private void counting(int input) {
    upstream.script(
        RawUpstream.answering(
            json(
                "{\"usage\":{\"prompt_tokens\":%1$d,\"completion_tokens\":5,\"input_tokens\":%1$d,"
                        .formatted(input)
                    + "\"output_tokens\":5},\"usageMetadata\":{\"promptTokenCount\":%d,"
                        .formatted(input)
                    + "\"candidatesTokenCount\":5}}")));
  }

  private static String json(String body) {
    return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        + "Content-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "/openai/v1/chat/completions|\"messages\":[{\"content\":\"TEXT\"}],"
            + "\"web_search_options\":{}|1004",
        "/openai/v1/responses|\"input\":\"TEXT\",\"previous_response_id\":\"r\"|1004",
        "/azure/openai/deployments/d/chat/completions|\"messages\":[{\"content\":\"TEXT\"}],"
            + "\"data_sources\":[{}]|1004",
        "/anthropic/v1/messages|\"messages\":[{\"content\":\"TEXT\"}],"
            + "\"mcp_servers\":[{}]|1004",
        "/gemini/v1beta/models/m:generateContent|\"contents\":[{\"parts\":[{\"text\":\"TEXT\"}]}],"
            + "\"cachedContent\":\"c\"|1004",
        "/mistral/v1/agents/completions|\"messages\":[{\"content\":\"TEXT\"}],"
            + "\"agent_id\":\"a\"|1004"
      })
  void inputThatNoBodyHas_teachesNothing(String target, String members, int input)
      throws Exception {
    String body = "{\"model\":\"m\",\"max_tokens\":5," + members.replace("TEXT", TEXT) + "}";
    String call =
        target.startsWith("/gemini")
            ? body.replace(
                "\"model\":\"m\",\"max_tokens\":5,",
                "\"generationConfig\":{\"maxOutputTokens\":5},")
            : body.replace(
                "max_tokens", target.endsWith("/responses") ? "max_output_tokens" : "max_tokens");
    counting(7_500);
    for (int answer = 0; answer < 9; answer++) {
      assertThat(cost(served("mallory", target, call))).isEqualTo(input + 5);
    }
    assertThat(cost(served("alice", target, call))).isEqualTo(input + 5);
  }

  @Hostile(Hostile.By.CLIENT)
  @Test
  void factorOfOneKey_isForOthersAtMostTwice_andForThreeKeysTheirMedian() throws Exception {
    String body = chat("poisoned", "");
    counting(7_504);
    for (int answer = 0; answer < 40; answer++) {
      served("mallory", CHAT, body);
    }
    assertThat(cost(served("mallory", CHAT, body))).isBetween(7_000, 7_509);
    counting(1_104);
    assertThat(cost(served("alice", CHAT, body))).isEqualTo(2_009);
    for (int answer = 0; answer < 20; answer++) {
      served("alice", CHAT, body);
      served("bob", CHAT, body);
    }
    assertThat(cost(served("carol", CHAT, body))).isBetween(1_090, 1_200);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "/input, 2000, 5",
    "/total, 2000, 5",
    "/stated, 2000, 5",
    "/bedrock, 1995, 5",
    "/two, 2000, 5"
  })
  void requestThatFitsByItsText_isNeverRefusedForItsEstimate_andTakesTheWholeLimit(
      String path, int input, int output) throws Exception {
    String model = "at" + path;
    counting(7_504);
    for (int answer = 0; answer < 40; answer++) {
      served("mallory", CHAT, chat(model, ""));
    }
    counting(1_004);
    HttpMessage answer = served("mallory", path + "/v1/chat/completions", chat(model, ""));
    assertThat(cost(answer)).isEqualTo(input + output);
    String twice = chat(model, "").replace(TEXT, TEXT + TEXT);
    refused(call("mallory", path + "/v1/chat/completions", twice), 400, "cost_exceeds_capacity");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({"dora", "wil"})
  void requestThatFitsItsKeyByItsText_isNeverRefusedForItsEstimate(String key) throws Exception {
    String body = chat("of-" + key, "");
    counting(7_504);
    for (int answer = 0; answer < 20; answer++) {
      for (String other : List.of("alice", "bob", "carol")) {
        served(other, CHAT, body);
      }
    }
    assertThat(cost(served(key, CHAT, body.replace(TEXT, "word".repeat(300))))).isEqualTo(2_005);
    refused(call(key, CHAT, body.replace(TEXT, TEXT + TEXT)), 400, "cost_exceeds_capacity");
  }
}
