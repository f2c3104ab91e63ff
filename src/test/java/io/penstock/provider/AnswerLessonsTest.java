package io.penstock.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.LimitMeasure;
import io.penstock.dialect.DialectTable;
import io.penstock.pool.ProviderLesson;
import io.penstock.pool.ProviderLesson.ErrorCause;
import io.penstock.quota.ProviderStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerLessonsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long UNSAID = ProviderStatus.UNSTATED;
  private static final byte[] NO_BODY = {};

  private static final Map<String, String> OPENAI =
      Map.of(
          "x-ratelimit-limit-requests", "60",
          "x-ratelimit-limit-tokens", "150000",
          "x-ratelimit-remaining-requests", "59",
          "x-ratelimit-remaining-tokens", "149984",
          "x-ratelimit-reset-requests", "1s",
          "x-ratelimit-reset-tokens", "6m0s");

  private final AnswerLessons lessons =
      new AnswerLessons(Instant.parse("2026-11-21T12:00:00Z")::toEpochMilli);

  private ProviderLesson openAi(int status, Map<String, String> headers, String body) {
    return lessons.lesson(
        DialectTable.OPENAI.limitHeaders(), status, headers::get, body.getBytes(UTF_8));
  }

  @Test
  void openAiHeaders_areTwoStandings() {
    assertThat(openAi(200, OPENAI, "").statuses())
        .containsExactly(
            new ProviderStatus(LimitMeasure.REQUESTS, 60, 59, SECOND),
            new ProviderStatus(LimitMeasure.TOKENS, 150_000, 149_984, 360 * SECOND));
  }

  @Test
  void anthropicHeaders_areFourStandings() {
    Map<String, String> headers = new HashMap<>(Map.of("retry-after", "12"));
    for (String name : new String[] {"requests", "tokens", "input-tokens", "output-tokens"}) {
      headers.put("anthropic-ratelimit-" + name + "-limit", "4000");
      headers.put("anthropic-ratelimit-" + name + "-remaining", "0");
      headers.put("anthropic-ratelimit-" + name + "-reset", "2026-11-21T12:00:30Z");
    }
    ProviderLesson providerLesson =
        lessons.lesson(DialectTable.ANTHROPIC.limitHeaders(), 429, headers::get, NO_BODY);
    assertThat(providerLesson.statuses())
        .extracting(ProviderStatus::measure)
        .containsExactly(
            LimitMeasure.REQUESTS,
            LimitMeasure.TOKENS,
            LimitMeasure.INPUT_TOKENS,
            LimitMeasure.OUTPUT_TOKENS);
    assertThat(providerLesson.statuses())
        .allMatch(each -> each.equals(new ProviderStatus(each.measure(), 4_000, 0, 30 * SECOND)));
    assertThat(providerLesson.retryAfterNanos()).isEqualTo(12 * SECOND);
  }

  @ParameterizedTest
  @CsvSource({
    "x-ratelimit-reset-tokens, soon",
    "x-ratelimit-reset-tokens, -6m0s",
    "x-ratelimit-limit-tokens, unlimited",
    "x-ratelimit-limit-tokens, 0",
    "x-ratelimit-remaining-tokens, -5",
    "x-ratelimit-remaining-tokens, 99999999999999999999",
  })
  void garbageInOneHeader_leavesOutThatStandingAlone(String name, String value) {
    Map<String, String> headers = new HashMap<>(OPENAI);
    headers.put(name, value);
    assertThat(openAi(200, headers, "").statuses())
        .containsExactly(new ProviderStatus(LimitMeasure.REQUESTS, 60, 59, SECOND));
  }

  @Test
  void headersThatAreMissing_areUnsaid() {
    assertThat(openAi(200, Map.of("x-ratelimit-remaining-tokens", "3"), "").statuses())
        .containsExactly(new ProviderStatus(LimitMeasure.TOKENS, UNSAID, 3, UNSAID));
    assertThat(openAi(200, Map.of("x-ratelimit-reset-tokens", "3s"), "").statuses()).isEmpty();
    assertThat(openAi(200, Map.of(), "")).isEqualTo(ProviderLesson.silent(200));
  }

  @ParameterizedTest
  @CsvSource({
    "1500, 9, 1500000000",
    "soon, 9, 9000000000",
    ", 9, 9000000000",
    ", 'Sat, 21 Nov 2026 12:00:10 GMT', 10000000000",
    ", never, -1",
    ", , -1",
  })
  void retryAfter_theFinerOneCounts(String millis, String seconds, long nanos) {
    Map<String, String> headers = new HashMap<>();
    headers.put("retry-after-ms", millis);
    headers.put("retry-after", seconds);
    assertThat(openAi(429, headers, "").retryAfterNanos()).isEqualTo(nanos);
  }

  private static String openAiError(String type, String code, String message) {
    return "{\"error\":{\"message\":\"%s\",\"type\":\"%s\",\"param\":null,\"code\":\"%s\"}}"
        .formatted(message, type, code);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RATE | tokens | rate_limit_exceeded | Rate limit reached for gpt-4o on tokens per min"
            + " (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1s.",
        "RATE | requests | rate_limit_exceeded | Rate limit reached on requests per min (RPM)",
        "TOO_LARGE | tokens | rate_limit_exceeded | Request too large for gpt-4o on tokens per min",
        "TOO_LARGE | tokens | rate_limit_exceeded | It is over: Limit 30000, Requested 40000.",
        "SPENT | insufficient_quota | insufficient_quota | You exceeded your current quota, please"
            + " check your plan and billing details.",
        "SPENT | requests | billing_hard_limit_reached | Billing hard limit has been reached",
        "OTHER | server_error | x | something else",
      })
  void wordsOfOpenAi(ErrorCause wording, String type, String code, String message) {
    assertThat(openAi(429, Map.of(), openAiError(type, code, message)).cause()).isEqualTo(wording);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RATE | 429 | rate_limit_error | This request would exceed your limit",
        "SPENT | 429 | invalid_request_error | Your credit balance is too low",
        "OVERLOADED | 529 | overloaded_error | Overloaded",
        "OVERLOADED | 500 | overloaded_error | Overloaded",
      })
  void wordsOfAnthropic(ErrorCause wording, int status, String type, String message) {
    String body =
        "{\"type\":\"error\",\"error\":{\"type\":\"%s\",\"message\":\"%s\"}}"
            .formatted(type, message);
    assertThat(
            lessons
                .lesson(
                    DialectTable.ANTHROPIC.limitHeaders(),
                    status,
                    name -> null,
                    body.getBytes(UTF_8))
                .cause())
        .isEqualTo(wording);
  }

  private static String geminiError(String quotaId, String delay) {
    return """
    {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and \
    billing details.","status":"RESOURCE_EXHAUSTED","details":[\
    {"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"%s",\
    "quotaValue":"15"}]},\
    {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%s"}]}}\
    """
        .formatted(quotaId, delay);
  }

  @ParameterizedTest
  @CsvSource({
    "GenerateRequestsPerMinutePerProjectPerModel, 37s, RATE, 37000000000",
    "GenerateRequestsPerMinutePerProjectPerModel, 37.5s, RATE, 37500000000",
    "GenerateRequestsPerMinutePerProjectPerModel, soon, RATE, -1",
    "GenerateRequestsPerDayPerProjectPerModel-FreeTier, 37s, DAY, 37000000000",
  })
  void detailsOfGemini(String quotaId, String delay, ErrorCause wording, long nanos) {
    String error = geminiError(quotaId, delay);
    for (String body : new String[] {error, "[" + error + "]"}) {
      ProviderLesson providerLesson =
          lessons.lesson(
              DialectTable.GEMINI.limitHeaders(), 429, name -> null, body.getBytes(UTF_8));
      assertThat(providerLesson.cause()).isEqualTo(wording);
      assertThat(providerLesson.retryAfterNanos()).isEqualTo(nanos);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{",
        "{\"error\":",
        "{\"error\":null}",
        "{\"error\":{\"details\":{\"a\":[1,2]}}}",
        "{\"error\":{\"details\":[1,null,{\"retryDelay\":5,\"violations\":7}]}}",
        "{\"error\":{\"type\":{},\"code\":[],\"message\":12}}",
        "\u0000\u0001 <html>",
      })
  void garbageInTheBody_saysNothing(String body) {
    for (int status : new int[] {200, 400, 429, 500}) {
      assertThat(openAi(status, Map.of(), body))
          .usingRecursiveComparison()
          .ignoringFields("words", "message")
          .isEqualTo(ProviderLesson.silent(status));
      assertThat(
              lessons.lesson(
                  DialectTable.GEMINI.limitHeaders(), status, name -> null, body.getBytes(UTF_8)))
          .usingRecursiveComparison()
          .ignoringFields("words", "message")
          .isEqualTo(ProviderLesson.silent(status));
    }
  }

  @Test
  void cutOffOrDeepOrLongBodies_areReadAsText() {
    assertThat(openAi(429, Map.of(), "{\"error\":{\"type\":\"rate_limit_exc").cause())
        .isEqualTo(ErrorCause.RATE);
    assertThat(openAi(429, Map.of(), "[".repeat(60_000)).cause()).isEqualTo(ErrorCause.OTHER);
    String late = "x".repeat(64 << 10) + "rate_limit_error";
    assertThat(openAi(429, Map.of(), late).cause()).isEqualTo(ErrorCause.OTHER);
    assertThat(openAi(429, Map.of(), "rate_limit_error" + late).cause()).isEqualTo(ErrorCause.RATE);
  }

  @Test
  void errorsOfAnAnswerThatWentWell_areNotRead() {
    assertThat(openAi(200, Map.of("retry-after", "5"), "rate_limit_error"))
        .isEqualTo(ProviderLesson.silent(200));
  }

  @Test
  void speeches_teach() {
    byte[] body = "rate_limit_error".getBytes(UTF_8);
    Map<String, String> headers = new HashMap<>(OPENAI);
    headers.put("anthropic-ratelimit-requests-limit", "50");
    assertThat(DialectTable.OPENAI.lesson(429, headers::get, body).statuses()).hasSize(2);
    assertThat(DialectTable.ANTHROPIC.lesson(429, headers::get, body).statuses())
        .containsExactly(new ProviderStatus(LimitMeasure.REQUESTS, 50, UNSAID, UNSAID));
  }

  /**
   * Sources, in this order: james-6-23/codex2api#9; continuedev/continue#10920 (Groq);
   * microsoft/sample-app-aoai-chatGPT#406 (Azure); the error of Gemini's free tier;
   * pollinations/pollinations#6260.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"error":{"type":"usage_limit_reached","resets_in_seconds":602705}} | 602705
          {"error":{"message":"Rate limit reached for model `m` in organization `o` service tier \
          `on_demand` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please \
          try again in 9m38.016s."}} | 578.016
          {"error":{"code":"429","message":"Requests have exceeded call rate limit of your current \
          OpenAI S0 pricing tier. Please retry after 26 seconds."}} | 26
          {"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current \
          quota. Please retry in 34.07s."}} | 34.07
          {"success":false,"error":{"message":"The system is experiencing high demand. Please \
          retry after 20 seconds.","code":"RATE_LIMITED"}} | 20
          """)
  void timeIsStatedInTheBodyAlone_itCounts(String body, double seconds) {
    ProviderLesson lesson = openAi(429, Map.of(), body);
    assertThat(lesson.retryAfterNanos()).isEqualTo(Math.round(seconds * SECOND));
    assertThat(lesson.cause()).isEqualTo(ErrorCause.RATE);
  }

  /** Sources: lidge-jun/opencodex#3809; OpenRouter's page on limits; openclaw/clawhub#407. */
  @ParameterizedTest
  @CsvSource({
    "anthropic-ratelimit-unified-reset, 1795270400, 8000",
    "x-ratelimit-reset, 1795262460000, 60",
    "x-ratelimit-reset, 30, 30",
    "retry-after, 1795262437, 37",
  })
  void windowsEndIsStated_itCountsWhereNothingElseDoes(String header, String value, long seconds) {
    assertThat(openAi(429, Map.of(header, value), "").retryAfterNanos())
        .isEqualTo(seconds * SECOND);
    Map<String, String> both = new HashMap<>(Map.of(header, value));
    both.put("retry-after", "5");
    assertThat(openAi(429, both, "").retryAfterNanos()).isEqualTo(5 * SECOND);
    if (!header.equals("retry-after")) {
      assertThat(openAi(500, Map.of(header, value), "").retryAfterNanos()).isEqualTo(UNSAID);
    }
  }
}
