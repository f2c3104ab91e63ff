package io.penstock.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.fake.HttpMessage;
import io.penstock.suite.Hostile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which calls are weighed, however their path is written and whichever provider it is of. */
class CallRecognitionIT extends HostileCase {
  private static final String CONTENT = "{\"contents\":[{\"parts\":[{\"text\":\"abcd\"}]}]}";

  @Override
  String routes() {
    return """
    endpoints:
      - path: /openai
        dialect: openai
        upstreams: [{id: o, url: "%1$s", api_key: sk-upstream}]
      - path: /azure
        dialect: azure
        upstreams: [{id: a, url: "%1$s"}]
      - path: /anthropic
        dialect: anthropic
        upstreams: [{id: c, url: "%1$s", api_key: sk-upstream}]
      - path: /gemini
        dialect: gemini
        upstreams: [{id: g, url: "%1$s", api_key: sk-upstream}]
      - path: /v1/chat/completions
        dialect: openai
        strip_prefix: false
        upstreams: [{id: whole, url: "%1$s"}]
      - path: /v1/models/m:generateContent
        dialect: gemini
        strip_prefix: false
        upstreams: [{id: content, url: "%1$s"}]
      - path: /window
        dialect: openai
        algorithm: token_window
        tokens_per_window: 5000
        window_seconds: 3600
        queue_timeout: 1
        upstreams: [{id: w, url: "%1$s"}]
      - path: /short
        dialect: openai
        upstreams:
          - {id: long, url: "%1$s/v1/chat/completions"}
          - {id: longer, url: "%1$s/other"}
    """;
  }

  private void weighed(String target, String body, String cost) throws Exception {
    HttpMessage answer = post(target, body);
    assertThat(answer.text()).isEqualTo("{}");
    assertThat(answer.header("x-penstock-cost")).isEqualTo(cost);
    assertThat(upstream.received().text()).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/v1/chat/completions", "/v1/chat/completions/", "/short", "/short/"})
  void call_isRecognisedByThePathThatTheUpstreamGets(String target) throws Exception {
    weighed(target, ASK, "14");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/models/m:generateContent",
        "/gemini/v1beta/models/m:GenerateContent",
        "/gemini/v1beta/models/m;x:generateContent",
        "/gemini/v1beta/models/m%253AgenerateContent",
      })
  void callNamedInThePath_isRecognised(String target) throws Exception {
    weighed(target, CONTENT, "261");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1/chat/completions;x",
        "/openai/v1/chat;y=1/completions;x=2;z",
        "/openai/v1/chat/completions;/",
        "/openai/v1/chat/completions/;x",
        "/openai/v1/chat/completions.",
        "/openai/v1/chat./completions...",
        "/openai/v1/chat/completions%20",
        "/openai/v1/chat/completions.%20.",
        "/openai/v1/chat%20/%20completions",
        "/openai/v1/chat/completion%73",
        "/openai/v1/chat/completion%2573",
        "/openai/v1/chat/%252563ompletions",
        "/openai/v1/chat%2Fcompletions",
        "/openai/v1/chat%252fcompletions",
        "/openai/v1/chat%5Ccompletions",
        "/openai/v1/chat%255ccompletions",
        "/openai/v1/chat/completions%3Bx",
        "/openai/v1/chat/completions%3Fx",
        "/openai/v1/chat/completions%253Fx",
        "/openai/v1/chat/completions%23x",
        "/openai/v1/%43HAT/Completions",
      })
  void call_isRecognisedInEverySpelling(String target) throws Exception {
    weighed(target, ASK, "14");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/a/..;/b",
        "/openai/a/..;x=1/b",
        "/openai/a/.;/b",
        "/openai/a/%2e%2e;/b",
        "/openai/a/%252e%252e/b",
        "/openai/a/.%252e;x/b",
        "/openai/a/..%3bx/b",
        "/openai/a/..%20/b",
        "/openai/a/%20../b",
        "/openai/a%252f..%252fb",
        "/openai/a%255c..%255cb",
        "/openai/a/..%3Fx",
        "/openai/..;",
      })
  void wayUp_isRefusedInEverySpelling(String target) {
    refused(post(target, ASK), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"%2500", "a%250ab", "%25250d", "%257F"})
  void controlCharacterEscapedTwice_isRefused(String segment) {
    refused(post("/openai/v1/" + segment, ASK), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @CsvSource({
    "/gemini/v1beta/openai/chat/completions, 14",
    "/gemini/openai/v1/chat/completions, 14",
    "/anthropic/v1/chat/completions, 14",
    "/azure/openai/v1/chat/completions, 14",
    "/azure/openai/deployments/d/chat/completions, 14",
    "/anthropic/v1/responses, 256",
    "/gemini/v1beta/openai/responses, 256",
    "/anthropic/v1/messages, 14",
    "/openai/v1/messages, 14",
    "/azure/anthropic/v1/messages, 14",
  })
  void callOfAnotherProvider_isWeighedUnderEveryDialect(String target, String cost)
      throws Exception {
    weighed(target, ASK, cost);
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(strings = {"gemini/v1beta/openai", "anthropic/v1", "openai/v1", "azure/openai/v1"})
  void embeddingsAndCompletions_areWeighedUnderEveryDialect(String base) throws Exception {
    weighed("/" + base + "/embeddings", "{\"model\":\"m\",\"input\":\"abcdabcd\"}", "2");
    weighed(
        "/" + base + "/completions", "{\"model\":\"m\",\"prompt\":\"abcd\",\"max_tokens\":3}", "4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/openai/v1/messages", "/openai/v1/models/m:generateContent"})
  void callsOfOthersUnderOpenAi_areReadAsTheirsAre(String target) throws Exception {
    String body = target.endsWith("messages") ? ASK : CONTENT;
    weighed(target, body, target.endsWith("messages") ? "14" : "261");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/v1/threads/t/messages",
        "/openai/v1/files",
        "/gemini/v1beta/models/m:countTokens",
        "/anthropic/v1/messages/count_tokens",
      })
  void otherCalls_passUnread(String target) throws Exception {
    weighed(target, "{\"role\":\"user\"}", "0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/anthropic/v1/complete", "/openai/v1/complete"})
  void legacyCompletion_isWeighedByItsPromptAndItsMaximum(String target) throws Exception {
    weighed(target, "{\"model\":\"m\",\"prompt\":\"abcdabcd\",\"max_tokens_to_sample\":30}", "32");
    refused(post(target, "{\"prompt\":\"abcd\"}"), 400, "bad_request");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/openai/v1", "/gemini/v1beta/openai", "/azure/openai/deployments/d"})
  void images_areWeighedByTheirPrice(String base) throws Exception {
    weighed(
        base + "/images/generations",
        "{\"model\":\"dall-e-3\",\"prompt\":\"abcd\",\"n\":2}",
        base.startsWith("/azure") ? "12481" : "2001");
  }

  @Test
  void imagesWithoutUsageInTheAnswer_stayChargedByTheirPrice() throws Exception {
    String images = "{\"model\":\"dall-e-3\",\"prompt\":\"abcd\",\"n\":2}";
    weighed("/window/v1/images/generations", images, "2001");
    gateway.awaitBalance();
    weighed("/window/v1/images/generations", images, "2001");
    gateway.awaitBalance();
    refused(post("/window/v1/images/generations", images), 429, "estimated_wait_exceeds_timeout");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gemini/v1beta/openai", "anthropic/v1"})
  void callOfOpenAi_isRefusedAsOpenAiRefuses(String base) {
    HttpMessage answer = post("/" + base + "/chat/completions", "{}");
    refused(answer, 400, "bad_request");
    assertThat(answer.text()).contains("\"param\":null").contains("invalid_request_error");
  }
}
