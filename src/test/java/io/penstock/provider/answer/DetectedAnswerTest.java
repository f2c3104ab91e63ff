package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers are read as what their first bytes show. */
class DetectedAnswerTest {
  private static final Map<Dialect, String> USAGE =
      Map.of(
          DialectTable.OPENAI,
          "{\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}",
          DialectTable.AZURE,
          "{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}",
          DialectTable.MISTRAL,
          "{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}",
          DialectTable.ANTHROPIC,
          "{\"type\":\"message_delta\",\"usage\":{\"input_tokens\":7,\"output_tokens\":5}}",
          DialectTable.GEMINI,
          "{\"usageMetadata\":{\"promptTokenCount\":7,\"candidatesTokenCount\":5}}");

  static Stream<Arguments> bodies() {
    return USAGE.keySet().stream()
        .flatMap(
            dialect ->
                Stream.of(
                        "%s",
                        "\uFEFF%s",
                        "\r\n \t%s\n",
                        "[%s]",
                        "\n[{\"a\":1},\r\n%s\n]\n",
                        "{\"a\":1}\n%s\n",
                        "{\"a\":1}%s",
                        "data: %s\n\n",
                        "data:%s\n\ndata: [DONE]\n\n",
                        "\uFEFFdata: %s\n\n",
                        "\n\n\ndata: %s\n\n",
                        "\r\n\r\ndata: %s\r\n\r\n",
                        "\r\rdata: %s\r\r",
                        ": PROCESSING\n\n: \n\ndata: %s\n\n",
                        ":\r\n\r\nevent: x\r\ndata: %s\r\n\r\n",
                        "event: x\ndata: %s\n\n",
                        "id: 1\ndata: %s",
                        "retry: 5\n\ndata: %s\n\n")
                    .map(frame -> Arguments.of(dialect, frame)));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void usage_counts_whateverTheBodyBeginsWith(Dialect dialect, String frame) {
    byte[] body = Cases.bytes(frame.formatted(USAGE.get(dialect)));
    for (int at = 0; at <= body.length; at++) {
      AnswerReader reader = ProviderProtocol.of(dialect).answerReader();
      Cases.cut(body, at, reader::feed);
      reader.finish();
      assertThat(reader.usage()).as("cut at %d", at).isEqualTo(new TokenUsage(7, 0, 5));
      assertThat(reader.warning()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain text, whose first word is a field without a meaning", "", " \n"})
  void bodiesThatMightBeEvents_areNoOddity(String body) {
    AnswerReader reader = Cases.answer(DialectTable.OPENAI, body);
    reader.finish();
    assertThat(Cases.describe(reader)).contains("usage: none", "tokens: 0", "warning: none");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<html>{\"usage\":{\"prompt_tokens\":7}}</html>",
        "WEBVTT\n\ndata: {\"usage\":{\"prompt_tokens\":7}}\n\n",
        "ID3\u0003data: {\"usage\":{\"prompt_tokens\":7}}\n\n",
        "7"
      })
  void otherBodies_areNotRead(String body) {
    AnswerReader reader = Cases.answer(DialectTable.OPENAI, body);
    reader.finish();
    assertThat(Cases.describe(reader)).contains("usage: none", "tokens: 0", "neither JSON nor");
  }

  @Test
  void linesOfJson_countTheTextOfEach_andTheLastUsage() {
    AnswerReader reader =
        Cases.answer(
            DialectTable.OPENAI,
            """
            {"choices":[{"delta":{"content":"abcd"}}]}
            {"choices":[{"delta":{"content":"efgh"}}]}
            """);
    assertThat(reader.producedTokens()).isEqualTo(2);
    reader.feed(ByteBuffer.wrap(Cases.bytes(USAGE.get(DialectTable.OPENAI))));
    assertThat(reader.usage()).isEqualTo(new TokenUsage(7, 0, 5));
  }
}
