package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.DialectName;
import io.penstock.provider.ProviderProtocol;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The model's name as read from answers. */
class AnswerModelTest {
  private static final String LONGEST = "m".repeat(256);

  private static @Nullable String model(Dialect dialect, String body) {
    return Cases.answer(dialect, body).model();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "OPENAI|{\"model\":\"m\"}",
        "OPENAI|{\"response\":{\"model\":\"m\"}}",
        "AZURE|{\"model\":\"m\"}",
        "ANTHROPIC|{\"model\":\"m\"}",
        "ANTHROPIC|{\"message\":{\"model\":\"m\"}}",
        "GEMINI|{\"modelVersion\":\"m\"}",
      })
  void named_whereTheDialectNamesIt_isTheModel(
      @ConvertWith(DialectName.class) ProviderProtocol dialect, String body) {
    assertThat(model(dialect, body)).isEqualTo("m");
    assertThat(model(dialect, "data: {}\n\ndata: " + body + "\n\n")).isEqualTo("m");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "OPENAI|{\"message\":{\"model\":\"m\"}}",
        "OPENAI|{\"choices\":[{\"model\":\"m\"}],\"usage\":{\"model\":\"m\"}}",
        "OPENAI|{\"response\":[{\"model\":\"m\"}],\"modelVersion\":\"m\"}",
        "ANTHROPIC|{\"response\":{\"model\":\"m\"}}",
        "ANTHROPIC|{\"content\":[{\"input\":{\"model\":\"m\"}}]}",
        "GEMINI|{\"model\":\"m\",\"candidates\":[{\"modelVersion\":\"m\"}]}",
        "NONE|{\"model\":\"m\"}",
      })
  void named_elsewhere_isNotTheModel(
      @ConvertWith(DialectName.class) ProviderProtocol dialect, String body) {
    assertThat(model(dialect, body)).isNull();
    assertThat(model(dialect, "data: " + body + "\n\n")).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"7", "true", "null", "{\"a\":\"b\"}", "[\"m\"]", "\"\"", "\" \\t\"", "\"m"})
  void named_asNoName_isNone_andTheNextOneCounts(String name) {
    assertThat(model(DialectTable.OPENAI, "{\"model\":" + name + "}")).isNull();
    String later = "data: {\"model\":" + name + "}\n\ndata: {\"model\":\"m\"}\n\n";
    assertThat(model(DialectTable.OPENAI, later)).isEqualTo("m");
  }

  @Test
  void named_anew_isWhatItWasCalledFirst() {
    String stream = "data: {\"modelVersion\":\"a\"}\n\ndata: {\"modelVersion\":\"b\"}\n\n";
    assertThat(model(DialectTable.GEMINI, stream)).isEqualTo("a");
    String list = "[{\"modelVersion\":\"a\"},\n{\"modelVersion\":\"b\"}]";
    assertThat(model(DialectTable.GEMINI, list)).isEqualTo("a");
  }

  @Test
  void named_atTheBound_isTaken_oneMoreCharacterIsNot() {
    assertThat(model(DialectTable.OPENAI, "{\"model\":\"" + LONGEST + "\"}")).isEqualTo(LONGEST);
    assertThat(model(DialectTable.OPENAI, "{\"model\":\"" + LONGEST + "m\"}")).isNull();
    String escaped = "\\u00e9".repeat(256);
    assertThat(model(DialectTable.ANTHROPIC, "{\"model\":\"" + escaped + "\"}"))
        .isEqualTo("é".repeat(256));
  }

  @Test
  void named_endlessly_isNotKept() {
    AnswerReader reader = DialectTable.OPENAI.answerReader();
    reader.feed(ByteBuffer.wrap(Cases.bytes("{\"model\":\"")));
    byte[] piece = Cases.bytes("x".repeat(1 << 20));
    for (int i = 0; i < 40; i++) {
      reader.feed(ByteBuffer.wrap(piece));
    }
    assertThat(reader.model()).isNull();
    assertThat(reader.warning()).isNull();
  }

  @Test
  void named_inAnAnswerThatBreaks_isKnownAllTheSame() {
    AnswerReader reader = Cases.answer(DialectTable.OPENAI, "{\"model\":\"m\",\"choices\":[{]");
    assertThat(reader.model()).isEqualTo("m");
    assertThat(reader.warning()).contains("cannot be read");
  }

  @Test
  void named_inEveryEvent_isOneString() {
    AnswerReader named = DialectTable.OPENAI.answerReader();
    AnswerReader other = DialectTable.OPENAI.answerReader();
    String event = "data: {\"%s\":\"" + LONGEST + "\"}\n\n";
    long ofNames = allocated(named, event.formatted("model"));
    long ofOthers = allocated(other, event.formatted("mudel"));
    assertThat(named.model()).isEqualTo(LONGEST);
    // creating the name as a string for each event would take at least 256 bytes
    assertThat(ofNames - ofOthers).isLessThan(100 * 1_000);
  }

  /**
   * Returns the bytes allocated by reading an event a thousand times, after a warm-up of as many
   * reads.
   */
  private static long allocated(AnswerReader reader, String event) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ByteBuffer bytes = ByteBuffer.wrap(Cases.bytes(event));
    for (int i = 0; i < 1_000; i++) {
      reader.feed(bytes.rewind());
    }
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < 1_000; i++) {
      reader.feed(bytes.rewind());
    }
    return threads.getCurrentThreadAllocatedBytes() - before;
  }
}
