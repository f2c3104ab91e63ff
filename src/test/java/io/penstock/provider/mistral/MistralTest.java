package io.penstock.provider.mistral;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.cost.ModelOperation;
import io.penstock.dialect.DialectTable;
import io.penstock.pool.ProviderLesson;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import io.penstock.provider.RefusedCall;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.quota.ProviderStatus;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;

/** Tests of what Mistral does not share with OpenAI. */
class MistralTest {
  private static final ProviderProtocol MISTRAL = DialectTable.MISTRAL;

  @ParameterizedTest
  @CsvSource({
    "/v1/chat/completions, CHAT",
    "/v1/agents/completions, CHAT",
    "/v1/fim/completions, COMPLETION",
    "/v1/embeddings, EMBEDDING",
    "/v1/completions,",
    "/v1/responses,",
    "/v1/ocr,",
    "/v1/conversations,",
  })
  void calls_ofTheReference_areWeighed(String path, ModelOperation operation) {
    assertThat(MISTRAL.operation(path)).isEqualTo(operation);
    assertThat(MISTRAL.weighs("POST", path)).isEqualTo(operation != null);
    assertThat(MISTRAL.weighs("GET", path)).isFalse();
  }

  @Test
  void agent_hasAModelOfItsOwn() {
    byte[] body = Cases.bytes("{\"agent_id\":\"a\",\"messages\":[],\"max_tokens\":9}");
    assertThat(Cases.weigh(MISTRAL, "/v1/agents/completions", body))
        .isInstanceOfSatisfying(
            WeighedRequest.Request.class,
            request -> {
              assertThat(request.model()).isNull();
              assertThat(request.content().statedOutputTokens()).isEqualTo(9);
            });
    assertThat(Cases.weigh(MISTRAL, "/v1/chat/completions", body))
        .isInstanceOfSatisfying(
            WeighedRequest.Request.class,
            request -> assertThat(request.doubts().model()).isEqualTo("model is missing"));
  }

  @Test
  void stream_isNotAskedForItsUsage_becauseMistralRefusesTheOption() {
    byte[] body = Cases.bytes("{\"model\":\"m\",\"messages\":[],\"stream\":true}");
    assertThat(Cases.weigh(MISTRAL, "/v1/chat/completions", body))
        .isInstanceOfSatisfying(
            WeighedRequest.Request.class,
            request -> {
              assertThat(request.stream()).isTrue();
              assertThat(request.spots().asksUsage()).isNull();
            });
  }

  @Test
  void maximum_hasOneMember() {
    assertThat(MISTRAL.maximumMember(URI.create("https://api.mistral.ai"), null))
        .isEqualTo("max_tokens");
  }

  @Test
  void headers_stateLimitsOfAMinute_withoutTheirReset() {
    Map<String, String> headers =
        Map.of(
            "x-ratelimit-limit-req-minute", "60",
            "x-ratelimit-remaining-req-minute", "59",
            "x-ratelimit-limit-tokens-minute", "50000",
            "x-ratelimit-remaining-tokens-minute", "47196",
            "x-ratelimit-tokens-query-cost", "2804");
    ProviderLesson lesson = MISTRAL.lesson(200, headers::get, new byte[0]);
    assertThat(lesson.statuses())
        .containsExactly(
            new ProviderStatus(LimitMeasure.REQUESTS, 60, 59, ProviderStatus.UNSTATED),
            new ProviderStatus(LimitMeasure.TOKENS, 50_000, 47_196, ProviderStatus.UNSTATED));
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '`',
      delimiter = '|',
      value = {
        "429 | {\"object\":\"error\",\"message\":\"Rate limit exceeded\",\"type\":\"rate_limited\","
            + "\"param\":null,\"code\":\"1300\"} | RATE",
        "429 | {\"message\":\"Requests rate limit exceeded\"} | RATE",
        "400 | {\"object\":\"error\",\"message\":\"Invalid model: x\",\"type\":\"invalid_model\","
            + "\"param\":null,\"code\":\"1500\"} | MODEL_NOT_FOUND",
      })
  void errors_areUnderstood(int status, String body, ProviderLesson.ErrorCause cause) {
    assertThat(MISTRAL.lesson(status, name -> null, Cases.bytes(body)).cause()).isEqualTo(cause);
  }

  @ParameterizedTest
  @CsvSource({
    "QUEUE_FULL, rate_limited",
    "UNAUTHENTICATED, authentication_error",
    "FORBIDDEN_MODEL, invalid_model",
    "FORBIDDEN_CALL, invalid_request_error",
    "NO_HEALTHY_UPSTREAM, internal_server_error",
  })
  void refusal_hasItsShape(RefusalReason reason, String type) {
    byte[] body = MISTRAL.refusalBody(Refusal.of(reason, "why"), RefusedCall.of("r")).bytes();
    assertThat(new String(body, StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"object\":\"error\",\"message\":\"why\",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"}"
                .formatted(type, reason.code()));
  }

  @Test
  void itsClient_isRecognised() {
    HttpHeaders headers = new HttpHeaders();
    headers.set(HttpHeaders.USER_AGENT, "mistral-client-python/2.1.0");
    headers.setBearerAuth("k");
    assertThat(DialectTable.spokenBy("/x/v1/chat/completions", headers)).isEqualTo(MISTRAL);
    assertThat(DialectTable.spokenBy("/x/v1/fim/completions", new HttpHeaders()))
        .isEqualTo(MISTRAL);
    headers.remove(HttpHeaders.USER_AGENT);
    assertThat(DialectTable.spokenBy("/x/v1/chat/completions", headers))
        .isEqualTo(DialectTable.OPENAI);
  }

  @ParameterizedTest
  @CsvSource({"OPENAI, /v1/fim/completions, openai", "MISTRAL, /v1/responses, openai"})
  void callsOfOthers_areReadByTheirProtocol(String own, String path, String reader) {
    ProviderProtocol server = own.equals("MISTRAL") ? MISTRAL : DialectTable.OPENAI;
    assertThat(DialectTable.reader(server, "POST", path))
        .isNotNull()
        .extracting(ProviderProtocol::text)
        .isEqualTo(reader);
  }
}
