package io.penstock.provider;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.answer.AnswerReader;
import io.penstock.provider.request.WeighedRequest;
import io.penstock.refusal.Refusal;
import io.penstock.refusal.RefusalReason;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Particularities of Gemini: paths that name models, numbers in quotes, answers that are lists. */
class GeminiTest {
  private static final String GENERATE = "/v1beta/models/m:generateContent";
  private static final String HELLO = "\"contents\":[{\"parts\":[{\"text\":\"Hello\"}]}]";
  private static final ProviderProtocol SPEECH = DialectTable.GEMINI;

  private static WeighedRequest weigh(String path, String body) {
    return Cases.weigh(DialectTable.GEMINI, path, Cases.bytes(body));
  }

  private static WeighedRequest config(String members) {
    return weigh(GENERATE, "{" + HELLO + ",\"generationConfig\":{" + members + "}}");
  }

  private static void assertMalformed(WeighedRequest weighedRequest, String words) {
    assertThat(weighedRequest).isInstanceOf(WeighedRequest.Malformed.class);
    assertThat(((WeighedRequest.Malformed) weighedRequest).detail()).contains(words);
  }

  private static AnswerReader json(String body) {
    return Cases.answer(DialectTable.GEMINI, body);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /v1beta/models/gemini-2.5-flash:generateContent, true",
    "POST, /v1/models/gemini-2.5-flash:streamGenerateContent, true",
    "POST, /v1beta/models/text-embedding-004:embedContent, true",
    "POST, /v1beta/models/text-embedding-004:batchEmbedContents, true",
    "POST, /v1beta/tunedModels/mine:generateContent, true",
    "POST, /v1/projects/p/locations/l/publishers/google/models/m:generateContent, true",
    "POST, //v1beta//models//m:generateContent//, true",
    "POST, /m:generateContent, true",
    "POST, /v1beta/models/:generateContent, true",
    "POST, /v1beta/models/m:countTokens, false",
    "POST, /v1beta/models/m:batchGenerateContent, false",
    "POST, /v1beta/models/m/generateContent, false",
    "POST, /v1beta/models/m:generateContent/operations, false",
    "POST, /v1beta/models/m:generateContentX, false",
    "POST, /v1beta/cachedContents, false",
    "POST, /upload/v1beta/files, false",
    "POST, /, false",
    "POST, '', false",
    "POST, :, false",
    "GET, /v1beta/models/m:generateContent, false",
    "POST, /v1/chat/completions, false",
  })
  void weighs_onlyGenerationAndEmbedding(String method, String path, boolean weighed) {
    assertThat(SPEECH.weighs(method, path)).isEqualTo(weighed);
  }

  @ParameterizedTest
  @CsvSource({
    "/v1beta/models/gemini-2.5-flash:generateContent, gemini-2.5-flash, false",
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent, gemini-2.5-flash, true",
    "/v1beta/tunedModels/mine:generateContent, tunedModels/mine, false",
    "/v1/projects/p/locations/l/endpoints/42:streamGenerateContent, endpoints/42, true",
    "//v1beta//models//a:b:streamGenerateContent/, a:b, true",
    "/m:generateContent, m, false",
    "/v1beta/models/m:embedContent, m, false",
  })
  void path_namesModelAndStream(String path, String model, boolean stream) {
    WeighedRequest.Request request = (WeighedRequest.Request) weigh(path, "{}");
    assertThat(request.model()).isEqualTo(model);
    assertThat(request.stream()).isEqualTo(stream);
    assertThat(request.content().generates()).isEqualTo(!path.endsWith(":embedContent"));
  }

  @Test
  void path_withoutAModel_orWithALongOne_malformed() {
    assertMalformed(weigh("/v1beta/models/:generateContent", "{}"), "names no model");
    assertMalformed(weigh("/v1beta/tunedModels/ :embedContent", "{}"), "names no model");
    String longest = "m".repeat(256);
    assertThat(weigh("/models/" + longest + ":generateContent", "{}"))
        .isInstanceOf(WeighedRequest.Request.class);
    assertMalformed(weigh("/models/m" + longest + ":generateContent", "{}"), "longer than 256");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1beta/models/a:generateContent, b, /v1beta/models/b:generateContent",
    "/v1beta/models/a:generateContent/, b, /v1beta/models/b:generateContent/",
    "/v1beta/models/a%3AgenerateContent, b, /v1beta/models/b%3AgenerateContent",
    "/v1beta/models/a%3ab%3astreamGenerateContent, c, /v1beta/models/c%3astreamGenerateContent",
    "/v1beta/models/a%20b:generateContent, c d, /v1beta/models/c%20d:generateContent",
    "/v1beta/models/a:generateContent, c:d?e, /v1beta/models/c%3Ad%3Fe:generateContent",
    "/v1beta/models/a:generateContent, tunedModels/t, /v1beta/tunedModels/t:generateContent",
    "/v1beta/tunedModels/t:generateContent, b, /v1beta/models/b:generateContent",
    "/a:generateContent, b, /b:generateContent",
    "/v1beta/models, b, /v1beta/models",
    "/v1beta/files/a, b, /v1beta/files/a",
    "/v1beta/models/:generateContent, b, /v1beta/models/:generateContent",
  })
  void renamed_onlyTheModelChanges(String path, String own, String expected) {
    assertThat(SPEECH.renamed(path, own)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1beta/models, true",
    "GET, /v1/models/, true",
    "POST, /v1beta/models, false",
    "GET, /v1beta/models/m, false",
    "GET, /v1beta/tunedModels, false",
    "GET, /v1beta/openai/models, false",
    "GET, /v1beta1/publishers/google/models, false",
  })
  void models_listed(String method, String path, boolean lists) {
    assertThat(SPEECH.listsModels(method, path)).isEqualTo(lists);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /v1beta/models/m, m",
    "GET, /v1beta//models/m/, m",
    "GET, /v1beta/models, ",
    "GET, /v1beta/models/, ",
    "POST, /v1beta/models/m, ",
    "DELETE, /v1beta/models/m, ",
    "GET, /v1beta/tunedModels/m, ",
    "GET, /v1beta/openai/models/m, ",
    "GET, /v1beta1/publishers/google/models/m, ",
  })
  void model_described(String method, String path, String model) {
    assertThat(SPEECH.describedModel(method, path)).isEqualTo(model);
  }

  @Test
  void modelOfOpenAi_mayHaveSlashesInItsName() {
    ProviderProtocol openAi = DialectTable.OPENAI;
    assertThat(openAi.describedModel("GET", "/v1/models/org/model")).isEqualTo("org/model");
    assertThat(openAi.describedModel("GET", "/v1/files/m")).isNull();
  }

  @Test
  void modelList_inEachDialect_hasItsShape() {
    List<String> names = List.of("a\"b", "tunedModels/t");
    assertThat(text(ModelList.of(SPEECH, names)))
        .isEqualTo(
            """
            {"models":[{"name":"models/a\\"b","displayName":"a\\"b"},\
            {"name":"tunedModels/t","displayName":"tunedModels/t"}]}\
            """);
    assertThat(text(ModelList.of(DialectTable.OPENAI, List.of("m"))))
        .isEqualTo(
            """
            {"object":"list","data":[\
            {"id":"m","object":"model","created":0,"owned_by":"penstock"}]}\
            """);
    assertThat(text(ModelList.of(DialectTable.ANTHROPIC, List.of("m", "n"))))
        .isEqualTo(
            """
            {"data":[{"type":"model","id":"m","display_name":"m",\
            "created_at":"1970-01-01T00:00:00Z"},{"type":"model","id":"n","display_name":"n",\
            "created_at":"1970-01-01T00:00:00Z"}],"has_more":false,"first_id":"m","last_id":"n"}\
            """);
    assertThat(text(ModelList.of(DialectTable.ANTHROPIC, List.of())))
        .isEqualTo("{\"data\":[],\"has_more\":false,\"first_id\":null,\"last_id\":null}");
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static void assertOpen(WeighedRequest weighedRequest, String words) {
    assertThat(((WeighedRequest.Request) weighedRequest).doubts().tokens()).contains(words);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"\"",
        "\"much\"",
        "true",
        "{}",
        "[5]",
        "1e400",
        "1099511627777",
        "\"1099511627777\"",
        "\"9999999999999999999\"",
        "9223372036854775808"
      })
  void maximum_notATokenCount_isLeftOpen(String value) {
    assertOpen(config("\"maxOutputTokens\":" + value), "maxOutputTokens is");
    assertOpen(config("\"max_output_tokens\":" + value), "max_output_tokens is");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"maxOutputTokens\":7|7|7",
        "\"maxOutputTokens\":\"7\"|7|7",
        "\"maxOutputTokens\":7.0|7|7",
        "\"maxOutputTokens\":\"1e3\"|1000|1000",
        "\"maxOutputTokens\":1.5|2|2",
        "\"maxOutputTokens\":-1|256|0",
        "\"maxOutputTokens\":\"-1\",\"candidateCount\":2.0|512|0",
        "\"max_output_tokens\":9|9|9",
        "\"maxOutputTokens\":7,\"candidateCount\":3|21|21",
        "\"maxOutputTokens\":7,\"candidate_count\":\"2\"|14|14",
        "\"maxOutputTokens\":0|0|0",
        "\"maxOutputTokens\":null,\"candidateCount\":2|512|0",
        "\"thinkingConfig\":{\"maxOutputTokens\":-1}|256|0",
      })
  void maximum_timesCandidates_isExpected(String members, long output, long stated) {
    assertThat(Cases.cost(config(members))).isEqualTo(new Cost(6, output, stated));
  }

  @Test
  void config_null_isNone_anythingElseIsLeftOpen() {
    assertThat(Cases.cost(weigh(GENERATE, "{" + HELLO + ",\"generation_config\":null}")))
        .isEqualTo(new Cost(6, 256, 0));
    for (String other : List.of("7", "\"x\"", "[]", "true")) {
      assertOpen(
          weigh(GENERATE, "{\"generationConfig\":" + other + "}"), "generationConfig is not");
    }
    assertOpen(config("\"candidateCount\":0"), "candidateCount is out of range");
    assertOpen(config("\"candidateCount\":2,\"maxOutputTokens\":" + Cost.MAX_TOKENS), "times");
  }

  @Test
  void body_notOneJsonObject_malformed() {
    assertMalformed(weigh(GENERATE, ""), "it is empty");
    assertMalformed(weigh(GENERATE, "[]"), "not a JSON object");
    assertMalformed(weigh("/v1/models/m:embedContent", "{\"content\":"), "ends inside");
  }

  @Test
  void image_countsTheSame_howeverLarge() {
    for (int size : new int[] {1, 100_000}) {
      String part =
          "{\"inline_data\":{\"data\":\"%s\",\"mime_type\":\"image/png\"}}"
              .formatted("x".repeat(size));
      assertThat(
              Cases.cost(weigh(GENERATE, "{\"contents\":[{\"parts\":[" + part + "]}]}"))
                  .inputTokens())
          .isEqualTo(4 + 258);
    }
  }

  @Test
  void usage_withoutOutputButATotal_theRestIsOutput() {
    assertThat(json("{\"usageMetadata\":{\"promptTokenCount\":7,\"totalTokenCount\":9}}").usage())
        .isEqualTo(new TokenUsage(7, 0, 2));
    AnswerReader blocked = json("{\"usageMetadata\":{\"promptTokenCount\":7}}");
    assertThat(blocked.usage()).isEqualTo(new TokenUsage(7, 0, 0));
    assertThat(blocked.warning()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"promptTokenCount\":-7,\"candidatesTokenCount\":3}|negative|none|3",
        "{\"promptTokenCount\":7,\"candidatesTokenCount\":1.5}|not a whole|7 in, 0 of|0",
        "{\"promptTokenCount\":7,\"totalTokenCount\":2}|total below|7 in, 0 of|0",
        "{\"promptTokenCount\":7,\"cachedContentTokenCount\":9}|more cached|7 in, 0 of|0",
        "{\"promptTokenCount\":1099511627777}|above|none|0",
        "{\"toolUsePromptTokenCount\":7}|none|none|0",
        "[{\"promptTokenCount\":7}]|not an object|none|0",
        "7|not an object|none|0",
      })
  void usage_odd_isWarnedOfAndNotBelieved(
      String usage, String warning, String believed, long produced) {
    AnswerReader reader = json("{\"usageMetadata\":" + usage + "}");
    assertThat(Cases.describe(reader))
        .contains(warning, "usage: " + believed, "produced_tokens: " + produced + "\n");
  }

  @Test
  void usage_inEveryPart_largestOutputCounts() {
    String part =
        "{\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":%d,"
            + "\"thoughtsTokenCount\":10}}";
    AnswerReader rising = json("[" + part.formatted(1) + "," + part.formatted(5) + "]");
    assertThat(rising.usage()).isEqualTo(new TokenUsage(7, 0, 0, 15, 10));
    assertThat(rising.warning()).isNull();
    AnswerReader falling = json("[" + part.formatted(5) + "," + part.formatted(1) + "]");
    assertThat(falling.usage()).isEqualTo(new TokenUsage(7, 0, 0, 15, 10));
    assertThat(falling.warning()).contains("fell");
  }

  @Test
  void list_oddElements_laterOnesAreRead() {
    String text = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"12345678\"}]}}]}";
    String usage = "{\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":5}}";
    for (String odd :
        List.of("{}", "{\"a\" 1}", "{\"\\u12\":\"]}\"}", "{\"a\":[1,{\"b\":\"\\\"\"}}}")) {
      AnswerReader reader = json("\uFEFF [" + odd + "," + text + "\n,\r\n" + usage + "]\n");
      assertThat(reader.usage()).as(odd).isEqualTo(new TokenUsage(7, 0, 5));
      assertThat(reader.warning() == null).as(odd).isEqualTo(odd.equals("{}"));
    }
    assertThat(json("[" + text + "," + text.substring(0, 48)).producedTokens()).isEqualTo(2);
    assertThat(json("[" + text + ",7," + usage + "]").warning()).contains("something else");
    assertThat(json("[" + usage + "] x").warning()).contains("more after");
    assertThat(json("[" + usage + "] x").usage()).isEqualTo(new TokenUsage(7, 0, 5));
    assertThat(json("[]").warning()).isNull();
  }

  @Test
  void textAfterTheUsage_inALaterElement_isOutputToo() {
    String text = "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"12345678\"}]}}]}";
    String usage = "{\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":1}}";
    assertThat(json("[" + usage + "," + text + "]").usage()).isEqualTo(new TokenUsage(7, 0, 2));
  }

  @Test
  void refusal_withATime_hasItAsADurationOfGoogle() {
    assertThat(refusal(new Refusal(RefusalReason.QUEUE_FULL, "d", 1_500_000_000L)))
        .contains("\"retryDelay\":\"1.500s\"");
    assertThat(refusal(new Refusal(RefusalReason.SHUTTING_DOWN, "d", 7_000_000_000L)))
        .contains("\"retryDelay\":\"7s\"");
  }

  private static String refusal(Refusal refusal) {
    return text(SPEECH.refusalBody(refusal, RefusedCall.of("r-1")).bytes());
  }

  @ParameterizedTest
  @CsvSource({
    "'', /v1beta/models/m:generateContent, /v1beta/models/m:generateContent",
    "'', /v1/models/m:generateContent, /v1/models/m:generateContent",
    "'', /models/m:generateContent, /v1beta/models/m:generateContent",
    "/base/, /tunedModels/m:generateContent, /v1beta/tunedModels/m:generateContent",
    "'', /v1beta/v1beta/models/m:generateContent, /v1beta/models/m:generateContent",
    "/v1beta, /models/m:generateContent, /models/m:generateContent",
    "/v1/projects/p/publishers/google, /models/m:generateContent, /models/m:generateContent",
    "'', /v1betas/v1beta/models, /v1betas/v1beta/models",
    "'', /upload/v1beta/files, /upload/v1beta/files",
  })
  void path_hasTheVersionOnce_whateverTheClientTakesForItsBase(
      String base, String path, String forwarded) {
    assertThat(SPEECH.versioned(base, path)).isEqualTo(forwarded);
  }

  @Test
  void stream_askedForAsEvents_hearsBlankLines_aListNothing() {
    assertThat(SPEECH.heartbeat("alt=sse")).isEqualTo(Cases.bytes("\n\n"));
    assertThat(SPEECH.heartbeat("$fields=x&alt=sse")).isEqualTo("\n\n".getBytes(US_ASCII));
    assertThat(SPEECH.heartbeat(null)).isNull();
    assertThat(SPEECH.heartbeat("alt=json&xalt=sse")).isNull();
    assertThat(DialectTable.OPENAI.heartbeat(null)).isEqualTo(Cases.bytes(": \n\n"));
    assertThat(text(SPEECH.errorEvent(Cases.bytes("{\"error\":\n{}}"))))
        .isEqualTo("data: {\"error\": {}}\n\n");
  }

  @Test
  void answerOver_teachesWhenToComeBack() {
    String error =
        "{\"error\":{\"code\":429,\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{\"@type\":"
            + "\"type.googleapis.com/google.rpc.RetryInfo\",\"retryDelay\":\"7s\"}]}}";
    assertThat(SPEECH.lesson(429, name -> null, Cases.bytes(error)).retryAfterNanos())
        .isEqualTo(7_000_000_000L);
  }

  @Test
  void credentials_asGoogleTakesThem() {
    assertThat(SPEECH.credentials("k")).isEqualTo(Map.of("x-goog-api-key", "k"));
  }
}
