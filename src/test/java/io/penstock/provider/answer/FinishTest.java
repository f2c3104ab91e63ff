package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.cost.Dialect;
import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.ProviderProtocol;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Oddities of answers that end early. */
class FinishTest {
  private static final byte[] WHOLE =
      Cases.bytes("{\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5}}");

  private static @Nullable String warning(
      Dialect dialect, String type, @Nullable String encoding, byte[] bytes) {
    AnswerReader reader = ProviderProtocol.of(dialect).answerReader(type, encoding);
    if (bytes.length > 0) {
      reader.feed(ByteBuffer.wrap(bytes));
    }
    reader.finish();
    String warning = reader.warning();
    reader.close();
    return warning;
  }

  private static byte[] zipped() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
      gzip.write(WHOLE);
    }
    return bytes.toByteArray();
  }

  @Test
  void wholeOrEmptyAnswers_nothingIsSaid() throws IOException {
    String json = "application/json";
    assertThat(warning(DialectTable.OPENAI, json, null, WHOLE)).isNull();
    assertThat(warning(DialectTable.OPENAI, json, null, new byte[0])).isNull();
    assertThat(warning(DialectTable.GEMINI, json, null, Cases.bytes("[{\"a\":1}]"))).isNull();
    assertThat(warning(DialectTable.GEMINI, json, null, new byte[0])).isNull();
    assertThat(warning(DialectTable.OPENAI, json, "gzip", zipped())).isNull();
    assertThat(warning(DialectTable.OPENAI, json, "gzip", new byte[0])).isNull();
    byte[] stream = Cases.bytes("data: {\"a\":1}\n\ndata: [DONE]");
    assertThat(warning(DialectTable.OPENAI, "text/event-stream", null, stream)).isNull();
  }

  @Test
  void answersCutShort_areOdd() throws IOException {
    String json = "application/json";
    assertThat(warning(DialectTable.OPENAI, json, null, Arrays.copyOf(WHOLE, 9)))
        .contains("ends inside");
    assertThat(warning(DialectTable.GEMINI, json, null, Cases.bytes("{\"a\":")))
        .contains("ends inside");
    assertThat(warning(DialectTable.GEMINI, json, null, Cases.bytes("[{\"a\":1}")))
        .contains("the list");
    byte[] cut = Arrays.copyOf(zipped(), zipped().length - 3);
    assertThat(warning(DialectTable.OPENAI, json, "gzip", cut)).contains("not whole");
    byte[] event = Cases.bytes("data: {\"a\":1");
    assertThat(warning(DialectTable.OPENAI, "text/event-stream", null, event))
        .contains("ends inside");
    byte[] lines = Cases.bytes("data: {\"a\":1}\ndata: {\"a\":2}\n");
    assertThat(warning(DialectTable.OPENAI, "text/event-stream", null, lines)).isNotNull();
  }
}
