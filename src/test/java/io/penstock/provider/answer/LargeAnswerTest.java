package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.cost.Dialect;
import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Usage behind a large member of one event, or of a plain answer. */
class LargeAnswerTest {
  private static final TokenUsage USED = new TokenUsage(1_200, 1_024, 4_300);

  /** A place of a large member before the usage; {@code %s} stands for the member's value. */
  record Form(Dialect dialect, String json) {}

  private static List<Form> forms() {
    String responses =
        "\"usage\":{\"input_tokens\":1200,\"input_tokens_details\":{\"cached_tokens\":1024},"
            + "\"output_tokens\":4300,\"total_tokens\":5500}";
    String chat =
        "\"usage\":{\"prompt_tokens\":1200,\"prompt_tokens_details\":{\"cached_tokens\":1024},"
            + "\"completion_tokens\":4300}}";
    String messages =
        "\"usage\":{\"input_tokens\":176,\"cache_read_input_tokens\":1024,"
            + "\"output_tokens\":4300}";
    return List.of(
        new Form(
            DialectTable.OPENAI,
            "{\"type\":\"response.completed\",\"response\":{\"output\":[{\"result\":%s}],"
                + responses
                + "}}"),
        new Form(DialectTable.OPENAI, "{\"instructions\":%s," + responses + "}"),
        new Form(DialectTable.OPENAI, "{\"data\":[{\"b64_json\":%s}]," + responses + "}"),
        new Form(
            DialectTable.AZURE, "{\"choices\":[{\"message\":{\"images\":[{\"url\":%s}]}}]," + chat),
        new Form(DialectTable.MISTRAL, "{\"pages\":%s," + chat),
        new Form(
            DialectTable.ANTHROPIC,
            "{\"type\":\"message\",\"content\":[{\"type\":\"tool_use\",\"x\":%s}],"
                + messages
                + "}"),
        new Form(
            DialectTable.ANTHROPIC,
            "{\"type\":\"message_delta\",\"delta\":{\"container\":%s}," + messages + "}"),
        new Form(
            DialectTable.GEMINI,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"inlineData\":{\"data\":%s}}]}}],"
                + "\"usageMetadata\":{\"promptTokenCount\":1200,\"candidatesTokenCount\":4300,"
                + "\"cachedContentTokenCount\":1024}}"));
  }

  /** Values that are larger than what is kept, of all kinds. */
  private static List<String> values(int size) {
    return List.of(
        "\"" + "A".repeat(size) + "\"",
        "\"" + "\\u00e9\\\\\\\"".repeat(size / 10) + "\"",
        "\"" + "é\uD83D\uDE00".repeat(size / 6) + "\"",
        "[" + "-0.0123,".repeat(size / 8) + "1]",
        "[" + "{\"a\":[\"\"]},".repeat(size / 11) + "{}]",
        "{\"a\":".repeat(size > 4_000 ? 500 : 200) + "0" + "}".repeat(size > 4_000 ? 500 : 200));
  }

  static Stream<Arguments> cases() {
    return forms().stream()
        .flatMap(
            form ->
                Stream.of("%s", "data: %s\n\n", "event: x\r\ndata: %s\r\n\r\n")
                    .map(frame -> Arguments.of(form, frame)));
  }

  private static TokenUsage usage(AnswerReader reader) {
    assertThat(reader.warning()).isNull();
    return Objects.requireNonNull(reader.usage());
  }

  @ParameterizedTest
  @MethodSource("cases")
  void usageBehindALargeMember_counts_howeverItIsCut(Form form, String frame) {
    Random random = new Random(1);
    for (String value : values(1 << 20)) {
      byte[] body = Cases.bytes(frame.formatted(form.json().formatted(value)));
      AnswerReader reader = ProviderProtocol.of(form.dialect()).answerReader();
      for (int at = 0; at < body.length; ) {
        int length = Math.min(body.length - at, 1 + random.nextInt(40_000));
        reader.feed(ByteBuffer.wrap(body, at, length));
        at += length;
      }
      reader.finish();
      assertThat(usage(reader)).isEqualTo(USED);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void memberJustLargerThanAPiece_isReadAlike_cutAtEachByte(Form form, String frame) {
    for (String value : values(1_300)) {
      byte[] body = Cases.bytes(frame.formatted(form.json().formatted(value)));
      for (int at = 0; at <= body.length; at++) {
        AnswerReader reader = ProviderProtocol.of(form.dialect()).answerReader();
        Cases.cut(body, at, reader::feed);
        assertThat(usage(reader)).as("cut at %d", at).isEqualTo(USED);
      }
      AnswerReader bytewise = ProviderProtocol.of(form.dialect()).answerReader();
      for (byte each : body) {
        bytewise.feed(ByteBuffer.wrap(new byte[] {each}));
      }
      assertThat(usage(bytewise)).isEqualTo(USED);
    }
  }

  @ParameterizedTest
  @MethodSource("cases")
  void memory_isTheSame_whateverTheSizeOfTheMember(Form form, String frame) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    String[] around = frame.formatted(form.json()).split("%s", 2);
    byte[] piece = Cases.bytes("A".repeat(64 << 10));
    AnswerReader reader = ProviderProtocol.of(form.dialect()).answerReader();
    reader.feed(ByteBuffer.wrap(Cases.bytes(around[0] + "\"")));
    reader.feed(ByteBuffer.wrap(piece));
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 160; i++) {
      reader.feed(ByteBuffer.wrap(piece));
    }
    // 10 MiB of text, each buffer a few objects of its own
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(32 << 10);
    reader.feed(ByteBuffer.wrap(Cases.bytes("\"" + around[1])));
    assertThat(usage(reader)).isEqualTo(USED);
  }

  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of(DialectTable.OPENAI, "{\"choices\":[{\"message\":{\"content\":\"%s\"}}]}"),
        Arguments.of(DialectTable.ANTHROPIC, "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]}"),
        Arguments.of(
            DialectTable.GEMINI,
            "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"%s\"}]}}]}"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void longText_isCountedInFull_howeverItIsWritten(Dialect dialect, String json) {
    // each is 9 bytes of UTF-8, escapes resolved
    for (String nine : new String[] {"ninebytes", "é\uD83D\uDE00€", "\\u00e9\\ud83d\\ude00€"}) {
      byte[] body = Cases.bytes(json.formatted(nine.repeat(4_000)));
      for (int step : new int[] {1, 7, 1_023, 1_024, 1_025, body.length}) {
        AnswerReader reader = ProviderProtocol.of(dialect).answerReader();
        for (int at = 0; at < body.length; at += step) {
          reader.feed(ByteBuffer.wrap(body, at, Math.min(step, body.length - at)));
        }
        assertThat(reader.textTokens()).as("%s by %d", nine, step).isEqualTo(9_000);
        assertThat(reader.warning()).isNull();
      }
    }
  }
}
