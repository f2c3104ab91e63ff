package io.penstock.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.Dialect;
import io.penstock.cost.RequestContent;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ProviderProtocolTest {
  @ParameterizedTest
  @CsvSource({
    "OPENAI, POST, /v1/chat/completions, true",
    "OPENAI, POST, /chat/completions, true",
    "OPENAI, POST, /api/v1/chat/completions, true",
    "OPENAI, POST, //v1//chat//completions//, true",
    "OPENAI, POST, /v1/chat/completions/, true",
    "OPENAI, POST, /v1/Chat/COMPLETIONS, true",
    "OPENAI, POST, /v1/embeddings, true",
    "OPENAI, GET, /v1/chat/completions, false",
    "OPENAI, POST, /v1/chat/completions/chatcmpl-1, false",
    "OPENAI, POST, /v1/notcompletions, false",
    "OPENAI, POST, /v1/completions, true",
    "OPENAI, POST, /v1/fim/completions, true",
    "OPENAI, POST, /v1/responses, true",
    "OPENAI, POST, /v1/responses/compact, true",
    "OPENAI, GET, /v1/responses, false",
    "OPENAI, GET, /v1/responses/resp_1, false",
    "OPENAI, DELETE, /v1/responses/resp_1, false",
    "OPENAI, POST, /v1/responses/resp_1/cancel, false",
    "OPENAI, POST, /v1/responses/input_tokens, false",
    "OPENAI, POST, /v1/batches, false",
    "OPENAI, POST, /v1/completionsx, false",
    "OPENAI, POST, /v1/files, false",
    "OPENAI, POST, /, false",
    "OPENAI, POST, '', false",
    "OPENAI, POST, /v1/messages, false",
    "ANTHROPIC, POST, /v1/messages, true",
    "ANTHROPIC, POST, /v1/messages/, true",
    "ANTHROPIC, GET, /v1/messages, false",
    "ANTHROPIC, POST, /v1/messages/count_tokens, false",
    "ANTHROPIC, POST, /v1/messages/batches, false",
    "ANTHROPIC, POST, /v1/messages/batches/b_1/cancel, false",
    "ANTHROPIC, POST, /v1/chat/completions, false",
    "ANTHROPIC, POST, /v1/complete, true",
    "ANTHROPIC, GET, /v1/complete, false",
    "ANTHROPIC, POST, /v1/autocomplete, false",
    "NONE, POST, /v1/chat/completions, false",
  })
  void weighs_onlyGenerationAndEmbedding(
      @ConvertWith(DialectName.class) ProviderProtocol dialect,
      String method,
      String path,
      boolean weighed) {
    assertThat(dialect.weighs(method, path)).isEqualTo(weighed);
  }

  @ParameterizedTest
  @CsvSource({
    "OPENAI, /v1/chat/completions, OPENAI",
    "OPENAI, /v1/messages, ANTHROPIC",
    "OPENAI, /v1/complete, ANTHROPIC",
    "OPENAI, /v1/threads/t/messages,",
    "OPENAI, /v1beta/models/m:generateContent, GEMINI",
    "AZURE, /openai/deployments/d/chat/completions, AZURE",
    "AZURE, /anthropic/v1/messages, ANTHROPIC",
    "ANTHROPIC, /v1/messages, ANTHROPIC",
    "ANTHROPIC, /v1/chat/completions, OPENAI",
    "ANTHROPIC, /v1/embeddings, OPENAI",
    "ANTHROPIC, /v1/files,",
    "GEMINI, /v1beta/models/m:generateContent, GEMINI",
    "GEMINI, /v1beta/openai/chat/completions, OPENAI",
    "GEMINI, /v1beta/openai/embeddings, OPENAI",
    "GEMINI, /v1beta/openai/files,",
    "NONE, /v1/chat/completions,",
  })
  void reader_isOfTheProviderThatInventedTheCall(
      @ConvertWith(DialectName.class) ProviderProtocol dialect,
      String path,
      @ConvertWith(DialectName.class) ProviderProtocol reader) {
    assertThat(DialectTable.reader(dialect, "POST", path)).isEqualTo(reader);
    assertThat(DialectTable.reader(dialect, "GET", path)).isNull();
  }

  @Test
  void unweighedPath_readAnyway_isOneRequestWithoutTokens() {
    for (Dialect dialect : new Dialect[] {DialectTable.OPENAI, DialectTable.ANTHROPIC}) {
      assertThat(Cases.weigh(dialect, "/v1/files", Cases.bytes("{broken")))
          .isEqualTo(
              new WeighedRequest.Request(
                  new RequestContent(null, 0, 0, RequestContent.UNSTATED, 1, false),
                  Cost.NO_TOKENS,
                  false,
                  null));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "OPENAI, openai",
    "AZURE, azure.ai.openai",
    "ANTHROPIC, anthropic",
    "GEMINI, gcp.gemini",
    "NONE,"
  })
  void dialects_haveANameInTelemetry(
      @ConvertWith(DialectName.class) ProviderProtocol dialect, String name) {
    assertThat(dialect.telemetryName()).isEqualTo(name);
  }

  @Test
  void credentials_asEachProviderTakesThem() {
    assertThat(DialectTable.OPENAI.credentials("k"))
        .containsExactly(java.util.Map.entry("Authorization", "Bearer k"));
    assertThat(DialectTable.ANTHROPIC.credentials("k"))
        .containsExactly(java.util.Map.entry("x-api-key", "k"));
    assertThat(DialectTable.NONE.credentials("k"))
        .containsExactly(java.util.Map.entry("Authorization", "Bearer k"));
  }

  private static String text(RefusalBody body) {
    return new String(body.bytes(), StandardCharsets.UTF_8);
  }

  @Test
  void keyOfAClient_isShownOnlySoFarThatItsOwnerRecognisesIt() {
    assertThat(RefusedCall.masked("sk-penstock-0123456789abcd")).isEqualTo("sk-********abcd");
    assertThat(RefusedCall.masked("short-secret")).isEqualTo("********");
    assertThat(RefusedCall.masked("a secret with spaces, long enough")).isEqualTo("********");
  }

  @ParameterizedTest
  @EnumSource(RefusalReason.class)
  void refusal_ofEveryReason_hasATypeAndATitle(RefusalReason refusalReason) {
    Refusal refusal = Refusal.of(refusalReason, "detail");
    for (ProviderProtocol dialect : DialectTable.ALL) {
      assertThat(text(dialect.refusalBody(refusal, RefusedCall.of("r"))))
          .containsIgnoringCase("detail")
          .doesNotContain("Refused");
    }
    assertThat(text(ProviderProtocol.permitRefusal(refusal, null))).contains(refusalReason.code());
  }

  @Test
  void refusal_idNotWellFormed_isStillWritten() {
    Refusal refusal = Refusal.of(RefusalReason.QUEUE_FULL, "a\ud83d");
    assertThat(text(DialectTable.ANTHROPIC.refusalBody(refusal, RefusedCall.of("r\udc00\u0000\""))))
        .contains("\"message\":\"a?\"", "\"request_id\":\"r?\\u0000\\\"\"");
  }
}
