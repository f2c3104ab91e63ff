package io.penstock.provider.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;
import io.penstock.dialect.DialectTable;
import io.penstock.endpoint.CostSource;
import io.penstock.endpoint.EndpointSetup;
import io.penstock.endpoint.EndpointSpec;
import io.penstock.json.JsonWalk;
import io.penstock.provider.Cases;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestReaderTest {
  private static final String HELLO = "\"messages\":[{\"role\":\"user\",\"content\":\"Hello\"}]";

  private static void assertMalformed(WeighedRequest weighed, String... words) {
    assertThat(weighed).isInstanceOf(WeighedRequest.Malformed.class);
    assertThat(((WeighedRequest.Malformed) weighed).detail()).contains(words);
  }

  private static WeighedRequest.Request request(WeighedRequest weighed) {
    if (weighed instanceof WeighedRequest.Request request) {
      return request;
    }
    throw new AssertionError("expected a request, was " + weighed);
  }

  /** Checks that a body is read, but leaves open how many tokens it may use. */
  private static void assertOpen(WeighedRequest weighed, String... words) {
    WeighedRequest.Request request = request(weighed);
    assertThat(request.doubts().tokens()).contains(words);
    assertThat(request.content().states()).isFalse();
  }

  private static WeighedRequest chatWith(String members) {
    return Cases.chat("{\"model\":\"m\"," + HELLO + "," + members + "}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "``|it is empty",
        "` \n `|it is empty",
        "null|not a JSON object",
        "[]|not a JSON object",
        "17|not a JSON object",
        "`\"text\"`|not a JSON object",
        "`{\"model\":\"m\"`|it ends inside the JSON",
        "`{\"model\":\"m`|it ends inside the JSON",
        "`{\"model\":tru`|it ends inside the JSON",
        "`{\"model\":\"m\",}`|broken near byte",
        "`{'model':'m'}`|broken near byte",
        "`{\"model\":\"m\"} x`|broken near byte",
        "`{\"model\":\"m\"}{}`|more after the JSON",
        "`{\"model\":\"m\"} 7`|more after the JSON",
        "`{\"model\":\"m\"}]`|broken near byte",
        "`{\"model\":\"m\"]`|broken near byte",
        "`{\"model\":NaN}`|broken near byte",
        "`{\"model\":\"a\nb\"}`|broken near byte",
        "tokens=abc|broken near byte",
      })
  void body_notOneJsonObject_malformed(String body, String words) {
    assertMalformed(Cases.chat(body), "the body cannot be read", words);
    assertMalformed(Cases.embeddings(body), words);
    assertMalformed(Cases.messages(body), words);
  }

  @Test
  void body_trailingWhiteSpace_isFine() {
    assertThat(Cases.cost(Cases.chat("{\"model\":\"m\"," + HELLO + "}\r\n \t")).inputTokens())
        .isEqualTo(6);
  }

  @Test
  void body_notUtf8_malformed() {
    byte[] body = Cases.bytes("{\"model\":\"m?\"}");
    body[11] = (byte) 0xFF;
    assertMalformed(
        Cases.weigh(DialectTable.OPENAI, "/v1/chat/completions", body),
        "not valid UTF-8 near byte 11");
  }

  @Test
  void body_nestedToTheBound_isRead_oneDeeperIsMalformed() {
    int fits = JsonWalk.MAX_DEPTH - 1;
    assertThat(chatWith("\"x\":" + "[".repeat(fits) + "]".repeat(fits)))
        .isInstanceOf(WeighedRequest.Request.class);
    assertMalformed(chatWith("\"x\":" + "[".repeat(fits + 1) + "]".repeat(fits + 1)), "too deeply");
    assertMalformed(chatWith("\"x\":" + "{\"a\":".repeat(100_000)), "too deeply");
  }

  @Test
  void body_nameOrNumberTooLong_malformed() {
    String name = "n".repeat(JsonWalk.MAX_NAME_LENGTH);
    assertThat(chatWith("\"" + name + "\":1")).isInstanceOf(WeighedRequest.Request.class);
    assertMalformed(chatWith("\"" + name + "n\":1"), "too long");
    assertMalformed(chatWith("\"max_tokens\":" + "9".repeat(1_001)), "too long");
    assertOpen(chatWith("\"max_tokens\":" + "9".repeat(1_000)), "out of range");
  }

  @Test
  void body_countlessNames_takeNoLongerThanTheirBytes() {
    StringBuilder names = new StringBuilder("\"metadata\":{");
    for (int i = 0; i < 2_000_000; i++) {
      names.append('"').append(Integer.toString(i, 36)).append("\":0,");
    }
    String members = names.append("\"z\":0}").toString();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long begin = threads.getCurrentThreadCpuTime();
    assertThat(chatWith(members)).isNotNull();
    assertThat(threads.getCurrentThreadCpuTime() - begin)
        .as("nanoseconds of processor time")
        .isLessThan(60_000_000_000L);
  }

  @Test
  void body_largerThanTheEndpointTakes_malformed() {
    EndpointSpec.Reading reading =
        EndpointSetup.reading(DialectTable.OPENAI, CostSource.BODY, 1, 256, 64);
    byte[] body = Cases.bytes("{\"model\":\"m\"" + " ".repeat(51) + "}");
    RequestReader fits = DialectTable.OPENAI.requestReader(reading, "/v1/chat/completions");
    fits.feed(ByteBuffer.wrap(body));
    assertThat(fits.finish()).isInstanceOf(WeighedRequest.Request.class);
    RequestReader larger = DialectTable.OPENAI.requestReader(reading, "/v1/chat/completions");
    larger.feed(ByteBuffer.wrap(body));
    larger.feed(ByteBuffer.wrap(new byte[] {' '}));
    assertMalformed(larger.finish(), "larger than 64 bytes");
  }

  @Test
  void body_oneStringOf30MiB_isWeighed() {
    RequestReader reader =
        DialectTable.OPENAI.requestReader(
            Cases.reading(DialectTable.OPENAI), "/v1/chat/completions");
    reader.feed(ByteBuffer.wrap(Cases.bytes("{\"model\":\"m\",\"messages\":[{\"content\":\"")));
    byte[] piece = new byte[64 << 10];
    Arrays.fill(piece, (byte) 'x');
    for (int i = 0; i < 480; i++) {
      reader.feed(ByteBuffer.wrap(piece));
    }
    reader.feed(ByteBuffer.wrap(Cases.bytes("\"}]}")));
    assertThat(Cases.cost(reader.finish()).inputTokens()).isEqualTo((30L << 20) / 4 + 4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`{\"messages\":[]}`|model is missing",
        "`{\"model\":null}`|model is not a string",
        "`{\"model\":7}`|model is not a string",
        "`{\"model\":{\"name\":\"m\"}}`|model is not a string",
        "`{\"model\":\"\"}`|model is blank",
        "`{\"model\":\" \\t\"}`|model is blank",
        "`{\"metadata\":{\"model\":\"m\"}}`|model is missing",
      })
  void model_notThere_isLeftOpen(String body, String words) {
    assertNoModel(Cases.chat(body), words);
    assertNoModel(Cases.embeddings(body), words);
    assertNoModel(Cases.messages(body), words);
  }

  private static void assertNoModel(WeighedRequest weighed, String words) {
    WeighedRequest.Request request = request(weighed);
    assertThat(request.doubts().model()).isEqualTo(words);
    assertThat(request.model()).isNull();
    assertThat(request.spots().modelAt()).isNegative();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"prompt\":\"x\"}", "{\"model\":null,\"prompt\":\"x\"}"})
  void model_thatACallNeedNotName_isNotMissed(String body) {
    WeighedRequest images =
        Cases.weigh(DialectTable.OPENAI, "/v1/images/generations", Cases.bytes(body));
    assertThat(request(images).doubts()).isEqualTo(WeighedRequest.Doubts.NONE);
  }

  @Test
  void model_atItsLongest_isRead_oneMoreIsMalformed() {
    String name = "m".repeat(StatedModel.MAX_LENGTH);
    assertThat(Cases.chat("{\"model\":\"" + name + "\"}"))
        .isInstanceOf(WeighedRequest.Request.class);
    assertMalformed(Cases.chat("{\"model\":\"" + name + "m\"}"), "longer than 256");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true",
        "{}",
        "[5]",
        "\"many\"",
        "\"\"",
        "\" 100\"",
        "1099511627777",
        "99999999999999999999999",
        "9223372036854775808",
        "1e400",
        "1e999999999",
        "\"1e999999999\"",
        "1e99999999999",
        "1099511627776.5",
        "0.00000000000000000000000000000000000000000000001"
      })
  void maximum_notATokenCount_isLeftOpen(String value) {
    assertOpen(chatWith("\"max_tokens\":" + value), "max_tokens", "expected 0 to");
    assertOpen(chatWith("\"max_completion_tokens\":" + value), "max_completion_tokens");
    assertOpen(Cases.messages("{\"model\":\"m\",\"max_tokens\":" + value + "}"), "max_tokens");
    assertThat(
            request(chatWith("\"max_tokens\":5,\"max_completion_tokens\":" + value))
                .doubts()
                .tokens())
        .contains("max_completion_tokens");
  }

  /**
   * Values that servers take. Sources: LM Studio, "POST /v1/chat/completions" ({@code "max_tokens":
   * -1} in its example); llama.cpp, {@code tools/server/README.md} ({@code n_predict}: -1 is
   * infinity, -2 until the context is filled); pydantic, "Conversion Table" (int takes {@code
   * "100"} and {@code 100.0}), by which vLLM reads bodies; nlohmann::json, which cuts {@code 100.5}
   * off.
   */
  @ParameterizedTest
  @CsvSource({
    "100.0, 100", "1e2, 100", "1E+2, 100", "'\"100\"', 100", "'\"1e2\"', 100", "100.5, 101",
    "0.1, 1", "1e-400, 1", "-0, 0", "-0.0, 0", "0e5, 0", "1099511627776.0, 1099511627776",
  })
  void maximum_inWhateverFormServersTake_isRead(String value, long tokens) {
    for (String name : new String[] {"max_tokens", "max_completion_tokens"}) {
      WeighedRequest.Request chat = request(chatWith("\"" + name + "\":" + value));
      assertThat(chat.cost()).isEqualTo(new Cost(6, tokens, tokens));
      assertThat(chat.doubts().tokens()).isNull();
    }
    assertThat(Cases.cost(Cases.messages("{\"model\":\"m\",\"max_tokens\":" + value + "}")))
        .isEqualTo(new Cost(0, tokens, tokens));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-1",
        "-2",
        "-1.0",
        "-1e0",
        "\"-1\"",
        "-0.5",
        "-99999999999999999999999",
        "-1e400"
      })
  void maximum_negative_statesNone_alsoBesideAnother(String value) {
    assertThat(Cases.cost(chatWith("\"max_tokens\":" + value))).isEqualTo(new Cost(6, 256, 0));
    WeighedRequest.Request both =
        request(chatWith("\"max_tokens\":" + value + ",\"max_completion_tokens\":5"));
    assertThat(both.cost()).isEqualTo(new Cost(6, 256, 0));
    assertThat(both.doubts().tokens()).isNull();
    assertThat(both.spots().maxima()).isEmpty();
  }

  @Test
  void maximum_atItsLargest_isTaken_timesTwoIsLeftOpen() {
    assertThat(Cases.cost(chatWith("\"max_tokens\":" + Cost.MAX_TOKENS)))
        .isEqualTo(new Cost(6, Cost.MAX_TOKENS, Cost.MAX_TOKENS));
    assertThat(request(chatWith("\"n\":2,\"max_tokens\":" + Cost.MAX_TOKENS)).doubts().tokens())
        .contains("times n");
  }

  @Test
  void maximum_notStated_defaultTimesAnswersIsExpected() {
    assertThat(Cases.cost(chatWith("\"max_tokens\":null,\"n\":3"))).isEqualTo(new Cost(6, 768, 0));
    assertThat(Cases.cost(chatWith("\"n\":null"))).isEqualTo(new Cost(6, 256, 0));
    assertThat(Cases.cost(Cases.messages("{\"model\":\"m\"," + HELLO + "}")))
        .isEqualTo(new Cost(6, 256, 0));
  }

  @Test
  void maximum_zero_isStated() {
    assertThat(Cases.cost(chatWith("\"max_tokens\":0"))).isEqualTo(new Cost(6, 0, 0));
  }

  @Test
  void maximum_defaultAbsurdlyLarge_isCapped() {
    EndpointSpec.Reading reading =
        EndpointSetup.reading(DialectTable.OPENAI, CostSource.BODY, 1, Long.MAX_VALUE, 1_000);
    RequestReader reader = DialectTable.OPENAI.requestReader(reading, "/v1/chat/completions");
    reader.feed(ByteBuffer.wrap(Cases.bytes("{\"model\":\"m\",\"n\":10000}")));
    assertThat(Cases.cost(reader.finish())).isEqualTo(new Cost(0, Cost.MAX_TOKENS, 0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-3", "10001", "1.5", "\"two\"", "[2]"})
  void answers_outOfRange_areLeftOpen(String value) {
    assertOpen(chatWith("\"n\":" + value), "n is", "expected 1 to 10000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2.0", "2e0", "\"2\""})
  void answers_inWhateverFormServersTake_areRead(String value) {
    assertThat(Cases.cost(chatWith("\"max_tokens\":5,\"n\":" + value)))
        .isEqualTo(new Cost(6, 10, 10));
  }

  @Test
  void answers_inADialectWithoutThem_areNotRead() {
    assertThat(Cases.cost(Cases.messages("{\"model\":\"m\",\"n\":0,\"max_tokens\":9}")))
        .isEqualTo(new Cost(0, 9, 9));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "\"true\"", "{}", "[]"})
  void stream_notTrueOrFalse_isLeftOpen(String value) {
    assertOpen(chatWith("\"stream\":" + value), "stream");
  }

  @Test
  void text_roundedUpOverAllOfIt_notForEachPart() {
    String parts = "{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"},\"c\"";
    assertThat(
            Cases.cost(
                    Cases.chat(
                        "{\"model\":\"m\",\"messages\":[{\"content\":["
                            + parts
                            + "]},{\"content\":\"d\"}]}"))
                .inputTokens())
        .isEqualTo(1 + 2 * 4);
  }

  @Test
  void image_countsTheSame_howeverLarge() {
    for (int size : new int[] {1, 100_000}) {
      String data = "x".repeat(size);
      String image = "{\"image_url\":{\"url\":\"" + data + "\"}}";
      assertThat(Cases.cost(Cases.chat(oneMessage(image))).inputTokens()).isEqualTo(4 + 765);
      String source = "{\"source\":{\"data\":\"" + data + "\",\"media_type\":\"image/png\"}}";
      assertThat(Cases.cost(Cases.messages(oneMessage(source))).inputTokens()).isEqualTo(4 + 1_600);
    }
  }

  private static String oneMessage(String part) {
    return "{\"model\":\"m\",\"messages\":[{\"content\":[" + part + "]}]}";
  }

  @Test
  void textSource_namedAfterItsData_countsAsText() {
    String source = "{\"source\":{\"data\":\"twelve bytes\",\"type\":\"text\"}}";
    assertThat(Cases.cost(Cases.messages(oneMessage(source))).inputTokens()).isEqualTo(4 + 3);
  }

  @Test
  void tools_weighTheSame_withAndWithoutWhiteSpace() {
    String tight = "\"tools\":[{\"function\":{\"name\":\"f\",\"strict\":true,\"x\":[1,2]}}]";
    String loose = tight.replace(":", " : ").replace(",", " ,\n ").replace("{", "{ ");
    assertThat(Cases.cost(chatWith(tight))).isEqualTo(Cases.cost(chatWith(loose)));
    long bytes = (long) tight.length() - "\"tools\":".length() + "Hello".length();
    assertThat(Cases.cost(chatWith(tight)).inputTokens()).isEqualTo(Math.ceilDiv(bytes, 4L) + 4);
  }

  @Test
  void system_asString_countsWithoutAMessage() {
    assertThat(
            Cases.cost(Cases.messages("{\"model\":\"m\",\"system\":\"Be kind.\"," + HELLO + "}"))
                .inputTokens())
        .isEqualTo(Math.ceilDiv(8 + 5, 4) + 4);
  }

  @Test
  void embeddings_inEachForm_areWeighed() {
    assertThat(Cases.cost(Cases.embeddings("{\"model\":\"m\",\"input\":\"héllo\"}")))
        .isEqualTo(Cost.ofInput(2));
    assertThat(Cases.cost(Cases.embeddings("{\"model\":\"m\",\"input\":[\"abc\",\"defg\"]}")))
        .isEqualTo(Cost.ofInput(2));
    assertThat(Cases.cost(Cases.embeddings("{\"model\":\"m\",\"input\":[9,8,7]}")))
        .isEqualTo(Cost.ofInput(3));
    assertThat(Cases.cost(Cases.embeddings("{\"model\":\"m\",\"input\":[[9,8],[7]]}")))
        .isEqualTo(Cost.ofInput(3));
    assertThat(Cases.cost(Cases.embeddings("{\"model\":\"m\"}"))).isEqualTo(Cost.NO_TOKENS);
  }

  @Test
  void plainDialect_bodyNotRead_defaultCounts() {
    EndpointSpec.Reading reading =
        EndpointSetup.reading(DialectTable.NONE, CostSource.QUERY, 7, 256, 10);
    RequestReader reader = DialectTable.NONE.requestReader(reading, "/anything");
    reader.feed(ByteBuffer.wrap(Cases.bytes("{broken")));
    assertThat(reader.finish())
        .isEqualTo(
            new WeighedRequest.Request(
                new RequestContent(null, 7, 0, RequestContent.UNSTATED, 1, false),
                Cost.ofInput(7),
                false,
                null));
  }
}
