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
        "/gemini/v1beta/models/m%3AgenerateContent",
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
        "/openai/a/%c0%ae%c0%ae/b",
        "/openai/a/%e0%80%ae%E0%80%AE/b",
        "/openai/a/.%f0%80%80%ae/b",
        "/openai/a/%25c0%25ae./b",
        "/openai/a%c0%af..%c0%afb",
        "/openai/a%c1%9c..%c1%9cb",
        "/openai/a/%ff%fe/b",
        "/openai/a/%ef%bc%8e%ef%bc%8e/b",
        "/openai/a/%e2%80%a5/b",
        "/openai/a%ef%bc%8f..%ef%bc%8fb",
      })
  void wayUp_isRefusedInEverySpelling(String target) {
    refused(post(target, ASK), 400, "bad_request");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/azure/openai/deployments/m/deployments/x/chat/completions",
        "/azure/openai/deployments/m/Deployments/x/chat/completions",
        "/azure/openai/deployments/m%2Fdeployments%2Fx/chat/completions",
        "/azure/openai/deployments/m/x/chat/completions",
        "/azure/openai/deployments/m%2Fx/chat/completions",
        "/azure/openai/deployments/m%5Cx/chat/completions",
        "/azure/openai/deployments/m;x/chat/completions",
        "/azure/openai/deployments/m%3Fx/chat/completions",
        "/azure/openai/deployments/m./chat/completions",
        "/azure/openai/deployments/m%20/chat/completions",
        "/azure/openai/deployments/%256D/chat/completions",
        "/azure/openai/deployments;y/x/deployments/m/chat/completions",
        "/azure/openai/deployments;y/m/chat/completions",
        "/azure/openai/deployments/;/m/chat/completions",
        "/azure/openai/deployments%2Fm/chat/completions",
        "/azure/openai/%64eployments/m/chat/completions",
        "/azure/openai/deployments/m/chat/completions/deployments/x/chat/completions",
        "/azure/openai/engines/x/chat/completions",
        "/openai/deployments/x/chat/completions",
        "/openai/v1/engines/x/chat/completions",
        "/openai/v1/engines/x%2Fm/completions",
        "/gemini/v1beta/openai/engines/x/chat/completions",
      })
  void pathThatNamesAnotherModelThanTheOneAskedFor_isRefused(String target) {
    HttpMessage answer = post(target, ASK);
    refused(answer, 400, "bad_request");
    assertThat(answer.text()).contains("the path names another model");
  }

  @Hostile(Hostile.By.CLIENT)
  @ParameterizedTest
  @ValueSource(
      strings = {
        "models/m:generateContent/models/x:generateContent",
        "models/m:x/models/x:generateContent",
        "models/m/models/x:generateContent",
        "models/m%2Fmodels%2Fx:generateContent",
        "models/models%2Fx:generateContent",
        "models/m%3AgenerateContent/models/x:generateContent",
        "models/m;/models/x:generateContent",
        "models/m;x/y:generateContent",
        "models;y/x:generateContent",
        "models%2Fx:generateContent",
        "models%5Cx:generateContent",
        "models/x%20/y:generateContent",
        "Models/m/models/x:generateContent",
        "tunedModels/m/models/x:generateContent",
        "models/m%253AgenerateContent",
        "models/%256D:generateContent",
      })
  void pathThatNamesTwoModels_isRefused(String call) {
    HttpMessage answer = post("/gemini/v1beta/" + call, CONTENT);
    refused(answer, 400, "bad_request");
    assertThat(answer.text()).contains("names it ambiguously");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/openai/deployments/m/chat/completions",
        "/openai/v1/engines/m/chat/completions",
        "/openai//deployments//%6D//chat//completions/",
        "/azure/openai/deployments/m/extensions/chat/completions",
        "/azure/openai/deployments/m/chat%2Fcompletions;x",
      })
  void pathThatNamesTheModelAskedFor_passes(String target) throws Exception {
    weighed(target, ASK, "14");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "models/a/b:generateContent",
        "models/a%2Fb:generateContent",
        "models/tunedModels%2Fb:generateContent",
        "tunedModels/b:generateContent",
        "projects/example.com:p/locations/l/publishers/google/models/m:generateContent",
      })
  void nameOfSeveralSegments_isOneModel(String call) throws Exception {
    weighed("/gemini/v1beta/" + call, CONTENT, "261");
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
    refused(post(target, "{\"prompt\":\"abcd\",\"Model\":\"m\"}"), 400, "bad_request");
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
    HttpMessage answer = post("/" + base + "/chat/completions", "{\"Model\":\"m\"}");
    refused(answer, 400, "bad_request");
    assertThat(answer.text()).contains("\"param\":null").contains("invalid_request_error");
  }
}
