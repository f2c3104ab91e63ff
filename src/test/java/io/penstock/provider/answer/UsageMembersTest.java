package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.TokenUsage;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.DialectName;
import io.penstock.provider.ProviderProtocol;
import io.penstock.suite.DocumentPages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

/** Usage as each server states it, with the page that lists the members. */
class UsageMembersTest {
  private static final Path ROWS = Path.of("src", "test", "resources", "usage-members.json");
  private static final Path PAGE = DocumentPages.page("usage-members.md");

  /**
   * One row of the page.
   *
   * @param read the day on which the source was read
   * @param usage input, read from the cache, written to it, output, reasoning
   */
  record Row(
      String server,
      String dialect,
      String members,
      String counts,
      String source,
      String read,
      String answer,
      List<Long> usage) {
    TokenUsage expected() {
      return new TokenUsage(usage.get(0), usage.get(1), usage.get(2), usage.get(3), usage.get(4));
    }

    String line() {
      return "| %s | `%s` | %s | %s | [source](%s), %s |"
          .formatted(server, dialect, members, counts, source, read);
    }

    @Override
    public String toString() {
      return server;
    }
  }

  static Stream<Row> rows() throws IOException {
    return Stream.of(new JsonMapper().readValue(Files.readString(ROWS), Row[].class));
  }

  private static ProviderProtocol protocol(Row row) {
    return DialectName.of(row.dialect());
  }

  private static void assertRead(Row row, String body) {
    byte[] bytes = Cases.bytes(body);
    for (int at = 0; at <= bytes.length; at++) {
      AnswerReader reader = protocol(row).answerReader();
      Cases.cut(bytes, at, reader::feed);
      reader.finish();
      assertThat(reader.usage()).as("cut at %d", at).isEqualTo(row.expected());
      assertThat(reader.warning()).isNull();
    }
  }

  @ParameterizedTest
  @MethodSource("rows")
  void usageOfAServer_countsAsThePageSays(Row row) {
    assertRead(row, row.answer());
    if (row.answer().startsWith("{") && row.answer().lines().count() == 1) {
      assertRead(row, "data: {}\n\ndata: " + row.answer() + "\n\ndata: [DONE]\n\n");
      assertRead(row, "{\"a\":1}\n" + row.answer() + "\n");
    }
  }

  @Test
  void page_showsEachRow() throws IOException {
    String expected =
        "| server | dialect | members | counted | source, read on |\n|---|---|---|---|---|\n"
            + rows().map(Row::line).collect(Collectors.joining("\n"))
            + "\n";
    assertThat(DocumentPages.text(PAGE))
        .withFailMessage(() -> "this is the table of " + PAGE + ":\n" + expected)
        .contains(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"prompt_tokens\":100.0,\"completion_tokens\":1e3}|100|0|1000",
        "{\"prompt_tokens\":\"100\",\"completion_tokens\":\"2.0\"}|100|0|2",
        "{\"prompt_tokens\":1.5e1,\"completion_tokens\":20E-1}|15|0|2",
        "{\"prompt_tokens\":10,\"completion_tokens\":5,\"input_tokens\":0,\"output_tokens\":0}|10|0|5",
        "{\"input_tokens\":0,\"output_tokens\":0,\"prompt_tokens\":10,\"completion_tokens\":5}|10|0|5",
        "{\"prompt_tokens\":100,\"cache_read_input_tokens\":90,\"completion_tokens\":5}|100|90|5",
        "{\"cache_read_input_tokens\":90,\"input_tokens\":10,\"output_tokens\":5}|100|90|5",
        "{\"prompt_tokens\":10,\"prompt_tokens_details\":{\"cached_tokens\":90},"
            + "\"completion_tokens\":5,\"total_tokens\":105}|100|90|5",
        "{\"prompt_tokens\":7,\"total_tokens\":9}|7|0|2",
        "{\"completion_tokens\":2,\"total_tokens\":9}|7|0|2",
        "{\"total_tokens\":9.0}|9|0|0",
        "{\"prompt_tokens\":7,\"completion_tokens\":2,\"total_tokens\":0}|7|0|2",
        "{\"iterations\":[{\"prompt_tokens\":7,\"completion_tokens\":2},"
            + "{\"prompt_tokens\":3,\"completion_tokens\":1}],\"prompt_tokens\":3}|10|0|3",
        "{\"prompt_tokens\":7,\"completion_tokens\":2,\"iterations\":[]}|7|0|2",
        "{\"prompt_tokens\":7,\"completion_tokens\":2,\"iterations\":null}|7|0|2",
        "{\"prompt_tokens\":7,\"completion_tokens\":2,\"iterations\":[[{\"prompt_tokens\":99}],9]}|7|0|2"
      })
  void usageInOtherForms_counts(String usage, long input, long cached, long output) {
    for (String place : List.of("%s", "{\"x_groq\":%s}", "{\"choices\":[%s]}", "{\"result\":%s}")) {
      AnswerReader reader =
          Cases.answer(DialectTable.OPENAI, place.formatted("{\"usage\":" + usage + "}"));
      assertThat(reader.usage()).as(place).isEqualTo(new TokenUsage(input, cached, output));
    }
  }

  @Test
  void statedUsage_comesBeforeTheTimesOfTheServer_inWhicheverOrder() {
    String usage = "\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":5}";
    String timings = "\"timings\":{\"prompt_n\":3,\"predicted_n\":5}";
    for (String body :
        List.of("{" + usage + "," + timings + "}", "{" + timings + "," + usage + "}")) {
      assertThat(Cases.answer(DialectTable.OPENAI, body).usage())
          .isEqualTo(new TokenUsage(11, 0, 5));
    }
  }

  @Test
  void iterationsOfAStream_addUpWithTheirCaches_andTellTheCalls() {
    AnswerReader reader =
        Cases.answer(
            DialectTable.ANTHROPIC,
            "data: {\"message\":{\"usage\":{\"input_tokens\":100,\"output_tokens\":1}}}\n\n"
                + "data: {\"usage\":{\"input_tokens\":20,\"output_tokens\":9,\"iterations\":["
                + "{\"input_tokens\":100,\"cache_read_input_tokens\":7,\"output_tokens\":30,"
                + "\"cache_creation\":{\"ephemeral_5m_input_tokens\":1,"
                + "\"ephemeral_1h_input_tokens\":2}},"
                + "{\"input_tokens\":20,\"cache_creation_input_tokens\":3,\"output_tokens\":9,"
                + "\"cache_creation\":{\"ephemeral_1h_input_tokens\":0}}]}}\n\n");
    TokenUsage used = Objects.requireNonNull(reader.usage());
    assertThat(used.inputTokens()).isEqualTo(120 + 7 + 3);
    assertThat(used.cacheReadTokens()).isEqualTo(7);
    assertThat(used.outputTokens()).isEqualTo(39);
    assertThat(reader.calls()).isEqualTo(2);
    assertThat(Cases.answer(DialectTable.ANTHROPIC, "{}").calls()).isEqualTo(1);
  }

  @Test
  void endlessIterations_stopAtTheLargestCount() {
    AnswerReader reader = DialectTable.ANTHROPIC.answerReader();
    reader.feed(ByteBuffer.wrap(Cases.bytes("{\"usage\":{\"iterations\":[{}")));
    byte[] part = Cases.bytes(",{\"input_tokens\":1099511627776,\"output_tokens\":1099511627776}");
    for (int i = 0; i < 1_000; i++) {
      reader.feed(ByteBuffer.wrap(part));
    }
    reader.feed(ByteBuffer.wrap(Cases.bytes("]}}")));
    TokenUsage used = Objects.requireNonNull(reader.usage());
    assertThat(used.inputTokens()).isEqualTo(1_099_511_627_776L);
    assertThat(used.outputTokens()).isEqualTo(1_099_511_627_776L);
  }
}
