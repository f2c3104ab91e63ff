package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerReaderTest {
  private static final String TWELVE =
      "data: {\"choices\":[{\"delta\":{\"content\":\"twelve bytes\"}}]}\n\n";
  private static final String USAGE =
      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}\n\n";

  private static AnswerReader openAi(String json) {
    return Cases.answer(DialectTable.OPENAI, json);
  }

  private static AnswerReader openAiStream(String events) {
    return Cases.answer(DialectTable.OPENAI, events);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "-5|negative",
        "-99999999999999999999|negative",
        "1e30|above",
        "100.5|not a whole number",
        "\"5 \"|not a whole number",
        "9223372036854775807|above",
        "99999999999999999999|above",
        "true|not a whole number",
      })
  void usage_figureAbsurd_isNotTaken(String figure, String words) {
    AnswerReader reader =
        openAi("{\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":" + figure + "}}");
    assertThat(reader.usage()).isEqualTo(new TokenUsage(3, 0, 0));
    assertThat(reader.producedTokens()).isZero();
    assertThat(reader.warning()).contains(words).doesNotContain(figure);
  }

  @Test
  void legacyCompletionOfAnthropic_countsItsText_wholeAndStreamed() {
    AnswerReader whole =
        Cases.answer(
            DialectTable.ANTHROPIC,
            "{\"type\":\"completion\",\"completion\":\"abcdabcd\",\"model\":\"m\"}");
    AnswerReader streamed =
        Cases.answer(
            DialectTable.ANTHROPIC,
            """
            event: completion
            data: {"type":"completion","completion":"abcd"}

            event: completion
            data: {"type":"completion","completion":"efgh"}

            """);
    for (AnswerReader reader : new AnswerReader[] {whole, streamed}) {
      assertThat(reader.producedTokens()).isEqualTo(2);
      assertThat(reader.usage()).isNull();
      assertThat(reader.warning()).isNull();
    }
  }

  @Test
  void thoughtsInAPartOfTheContent_areOutput() {
    AnswerReader reader =
        Cases.answer(
            DialectTable.OPENAI,
            """
            data: {"choices":[{"delta":{"content":[{"thinking":[{"type":"text","text":"12345678"}]}]}}]}

            data: {"choices":[{"delta":{"content":[{"type":"text","text":"1234"}]}}]}

            """);
    assertThat(reader.producedTokens()).isEqualTo(3);
  }

  @Test
  void usage_moreCachedThanInput_countsAsUncachedWithWarning() {
    AnswerReader reader =
        openAi(
            "{\"usage\":{\"prompt_tokens\":3,\"prompt_tokens_details\":{\"cached_tokens\":9},"
                + "\"completion_tokens\":1}}");
    assertThat(reader.usage()).isEqualTo(new TokenUsage(3, 0, 1));
    assertThat(reader.warning()).contains("more cached input");
  }

  @ParameterizedTest
  @ValueSource(strings = {"7", "\"much\"", "[1]", "true"})
  void usage_notAnObject_isNone(String usage) {
    AnswerReader reader = openAi("{\"usage\":" + usage + "}");
    assertThat(reader.usage()).isNull();
    assertThat(reader.warning()).contains("not an object");
    AnswerReader other = Cases.answer(DialectTable.ANTHROPIC, "{\"usage\":" + usage + "}");
    assertThat(other.usage()).isNull();
    assertThat(other.warning()).contains("not an object");
  }

  @Test
  void usage_withoutInput_isNone_outputCountsAsProduced() {
    AnswerReader reader =
        Cases.answer(DialectTable.ANTHROPIC, "data: {\"usage\":{\"output_tokens\":44}}\n\n");
    assertThat(reader.usage()).isNull();
    assertThat(reader.producedTokens()).isEqualTo(44);
  }

  @Test
  void usage_cutInTheMiddleOfItsBlock_isNone() {
    String event = USAGE.substring(0, USAGE.indexOf("}"));
    assertThat(openAiStream(TWELVE + event).usage()).isNull();
    assertThat(openAiStream(TWELVE + event + "}").usage()).isEqualTo(new TokenUsage(7, 0, 5));
  }

  @Test
  void usage_saidBeforeMoreText_isBelievedOnInputOnly() {
    AnswerReader reader =
        openAiStream(
            "data: {\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":0}}\n\n"
                + TWELVE
                + TWELVE);
    assertThat(reader.usage()).isEqualTo(new TokenUsage(7, 0, 6));
  }

  @Test
  void usage_inEveryChunk_largestOutputCounts() {
    String chunk =
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}],"
            + "\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":%d}}\n\n";
    AnswerReader rising = openAiStream(chunk.formatted(1) + chunk.formatted(2));
    assertThat(rising.usage()).isEqualTo(new TokenUsage(7, 0, 2));
    assertThat(rising.warning()).isNull();
    AnswerReader falling = openAiStream(chunk.formatted(9) + chunk.formatted(2));
    assertThat(falling.usage()).isEqualTo(new TokenUsage(7, 0, 9));
    assertThat(falling.warning()).contains("fell");
  }

  @Test
  void usage_inputRestatedByLastEvent_replacesTheFirst() {
    AnswerReader reader =
        Cases.answer(
            DialectTable.ANTHROPIC,
            "data: {\"message\":{\"usage\":{\"input_tokens\":100,\"output_tokens\":1}}}\n\n"
                + "data: {\"usage\":{\"input_tokens\":20,\"cache_read_input_tokens\":80,"
                + "\"cache_creation_input_tokens\":null,\"output_tokens\":9}}\n\n");
    assertThat(reader.usage()).isEqualTo(new TokenUsage(100, 80, 9));
  }

  private static AnswerReader anthropic(String usage) {
    return Cases.answer(DialectTable.ANTHROPIC, "{\"usage\":{" + usage + "}}");
  }

  @Test
  void cacheWrites_areToldApartByLifetime_wholeAndStreamed() {
    String usage =
        "\"input_tokens\":5,\"cache_creation_input_tokens\":30,\"cache_read_input_tokens\":50,"
            + "\"cache_creation\":{\"ephemeral_5m_input_tokens\":10,"
            + "\"ephemeral_1h_input_tokens\":20},\"output_tokens\":7";
    AnswerReader whole = anthropic(usage);
    AnswerReader streamed =
        Cases.answer(
            DialectTable.ANTHROPIC,
            "data: {\"message\":{\"usage\":{"
                + usage.replace(":7", ":1")
                + "}}}\n\ndata: {\"usage\":{\"input_tokens\":5,\"cache_creation_input_tokens\":30,"
                + "\"cache_read_input_tokens\":50,\"output_tokens\":7}}\n\n");
    for (AnswerReader reader : new AnswerReader[] {whole, streamed}) {
      assertThat(reader.usage()).isEqualTo(new TokenUsage(85, 50, 30, 20, 7, 0));
      assertThat(reader.warning()).isNull();
    }
  }

  @Test
  void cacheWritesOfLifetimesAlone_addUp() {
    AnswerReader reader =
        anthropic(
            "\"input_tokens\":5,\"cache_creation\":{\"ephemeral_5m_input_tokens\":10,"
                + "\"ephemeral_1h_input_tokens\":20},\"output_tokens\":7");
    assertThat(reader.usage()).isEqualTo(new TokenUsage(35, 0, 30, 20, 7, 0));
    assertThat(reader.warning()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"ephemeral_5m_input_tokens\":10,\"ephemeral_1h_input_tokens\":21}|do not add up",
        "{\"ephemeral_1h_input_tokens\":20}|do not add up",
        "{\"ephemeral_1h_input_tokens\":99}|do not add up",
        "{\"ephemeral_5m_input_tokens\":30,\"ephemeral_1h_input_tokens\":-1}|negative",
        "{\"ephemeral_5m_input_tokens\":30,\"ephemeral_1h_input_tokens\":\"x\"}|whole number",
        "{\"ephemeral_5m_input_tokens\":{\"ephemeral_1h_input_tokens\":20}}|",
        "[30,20]|",
        "20|",
        "null|",
        "{}|"
      })
  void lifetimesThatContradictTheWrites_countAsFiveMinutes(String lifetimes, String words) {
    AnswerReader reader =
        anthropic(
            "\"input_tokens\":5,\"cache_creation_input_tokens\":30,\"cache_creation\":"
                + lifetimes
                + ",\"output_tokens\":7");
    assertThat(reader.usage()).isEqualTo(new TokenUsage(35, 0, 30, 0, 7, 0));
    if (words == null) {
      assertThat(reader.warning()).isNull();
    } else {
      assertThat(reader.warning()).contains(words);
    }
  }

  @Test
  void cacheOfGemini_isRead_andMoreThanThePromptIsNot() {
    String usage =
        "{\"usageMetadata\":{\"promptTokenCount\":100,\"cachedContentTokenCount\":%s,"
            + "\"candidatesTokenCount\":7}}";
    AnswerReader good = Cases.answer(DialectTable.GEMINI, usage.formatted(90));
    assertThat(good.usage()).isEqualTo(new TokenUsage(100, 90, 7));
    AnswerReader more = Cases.answer(DialectTable.GEMINI, usage.formatted(101));
    assertThat(more.usage()).isEqualTo(new TokenUsage(100, 0, 7));
    assertThat(more.warning()).contains("more cached input");
  }

  @Test
  void usage_elsewhere_isNotUsage() {
    AnswerReader reader =
        openAi(
            "{\"choices\":[{\"message\":{\"usage\":{\"prompt_tokens\":9}}}],"
                + "\"output\":[{\"usage\":{\"prompt_tokens\":9}}],"
                + "\"x\":{\"usage\":{\"prompt_tokens\":9}}}");
    assertThat(reader.usage()).isNull();
  }

  @Test
  void text_saysUsage_isOnlyText() {
    AnswerReader reader =
        openAiStream(
            "data: {\"choices\":[{\"delta\":{\"content\":"
                + "\"\\n\\ndata: {\\\"usage\\\":{\\\"prompt_tokens\\\":1}}\\n\\n\"}}]}\n\n");
    assertThat(reader.usage()).isNull();
    assertThat(reader.producedTokens()).isEqualTo(10);
  }

  @Test
  void stream_oddEvents_laterOnesAreRead() {
    String[] odd = {
      "data: {broken}\n\n",
      "data: {\"usage\":{\"prompt_tokens\":1,\n\n",
      "data: not json\n\n",
      "data\n\n",
      "data:\n\n",
      "data: \n\ndata:   \n\n",
      "data: {}trailing\n\n",
      "data: [\"DONE\"]\n\n",
      "dat: x\n\n",
      "database: x\n\n",
      "event: error\nid: 7\nretry: 10\n\n",
      "\n\n\n:\n: ping\n\n",
      "data: {\"choices\":{\"delta\":5}}\n\n",
      "data: \"\\ud83d\"\n\n",
      "data: " + "{\"a\":".repeat(5_000) + "\n\n",
    };
    for (String event : odd) {
      AnswerReader reader = openAiStream(event + TWELVE + USAGE);
      assertThat(reader.usage()).as(event).isEqualTo(new TokenUsage(7, 0, 5));
      assertThat(reader.producedTokens()).as(event).isEqualTo(5);
    }
  }

  @Test
  void stream_objectOverSeveralDataLines_isOneEvent() {
    String event =
        """
        data: {"usage":
        data:
        data: {"prompt_tokens":1,
        event: x
        data:"completion_tokens":2}}

        """;
    for (String lineEnd : new String[] {"\n", "\r\n", "\r"}) {
      AnswerReader reader = openAiStream(event.replace("\n", lineEnd));
      assertThat(reader.usage()).isEqualTo(new TokenUsage(1, 0, 2));
      assertThat(reader.warning()).isNull();
    }
  }

  @Test
  void stream_endlessLine_isNotKept() {
    AnswerReader reader = DialectTable.OPENAI.answerReader();
    reader.feed(ByteBuffer.wrap(Cases.bytes("data: {\"pad\":\"")));
    byte[] piece = Cases.bytes("x".repeat(1 << 20));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 100; i++) {
      reader.feed(ByteBuffer.wrap(piece));
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(64 << 10);
    reader.feed(ByteBuffer.wrap(Cases.bytes("\"}\n\n" + USAGE)));
    assertThat(reader.usage()).isEqualTo(new TokenUsage(7, 0, 5));
  }

  @Test
  void jsonWithEndlessString_isReadOn_andNotKept() {
    AnswerReader reader = openAi("{\"usage\":{\"prompt_tokens\":7},\"pad\":\"");
    byte[] piece = Cases.bytes("x".repeat(1 << 20));
    for (int i = 0; i < 100; i++) {
      reader.feed(ByteBuffer.wrap(piece));
    }
    reader.feed(ByteBuffer.wrap(Cases.bytes("\",\"usage\":{\"prompt_tokens\":8}}")));
    assertThat(reader.usage()).isEqualTo(new TokenUsage(8, 0, 0));
    assertThat(reader.warning()).isNull();
  }

  @Test
  void jsonCutShort_textSoFarCounts() {
    AnswerReader reader =
        openAi("{\"choices\":[{\"message\":{\"content\":\"twelve bytes\",\"refus");
    assertThat(reader.usage()).isNull();
    assertThat(reader.producedTokens()).isEqualTo(3);
  }

  @Test
  void contentParts_andOlderCalls_countAsOutput() {
    AnswerReader reader =
        openAi(
            "{\"choices\":[{\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"abcd\"}],"
                + "\"function_call\":{\"name\":\"efgh\",\"arguments\":\"ijkl\"},"
                + "\"audio\":{\"data\":\"AAAAAAAAAAAAAAAA\",\"transcript\":\"mnop\"},"
                + "\"role\":\"assistant\"}}]}");
    assertThat(reader.producedTokens()).isEqualTo(4);
  }

  @Test
  void plainDialect_readsNothing() {
    AnswerReader reader = Cases.answer(DialectTable.NONE, "{\"usage\":{\"prompt_tokens\":7}}");
    assertThat(reader.usage()).isNull();
  }
}
