package io.penstock.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.dialect.DialectTable;
import io.penstock.provider.Cases;
import io.penstock.provider.request.RequestReader;
import io.penstock.provider.request.WeighedRequest;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which text of a request is kept for the tokenizer. */
class KeptTextTest {
  private static @Nullable CharSequence text(WeighedRequest weighed) {
    if (weighed instanceof WeighedRequest.Request request) {
      return request.text();
    }
    throw new AssertionError("expected a request, was " + weighed);
  }

  private static @Nullable CharSequence openAi(String call, String members) {
    return text(
        Cases.weigh(
            DialectTable.OPENAI, "/v1/" + call, Cases.bytes("{\"model\":\"m\"," + members + "}")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "chat/completions|\"messages\":[{\"role\":\"user\",\"content\":\"h\\u00e9 \"},"
            + "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":"
            + "{\"name\":\"f\",\"arguments\":\"{}\"}}]}]|hé f{}",
        "chat/completions|\"messages\":[{\"content\":[{\"type\":\"text\",\"text\":\"see\"},"
            + "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:xyz\"}}]}]|see",
        "chat/completions|\"tools\":[ {\"a\": [1, null, []], \"b\": {}} ],"
            + "\"messages\":[{\"content\":\"x\"}]|x[{\"a\":[1,null,[]],\"b\":{}}],",
        "completions|\"suffix\":\"end\",\"prompt\":\"begin \"|begin end",
        "completions|\"prompt\":[\"a\",\"b\"]|ab",
        "completions|\"prompt\":[[1,2],[3]]|``",
        "responses|\"instructions\":\"Be kind. \",\"input\":\"Hello\"|Be kind. Hello",
        "responses|\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\","
            + "\"text\":\"look \"},{\"type\":\"input_image\",\"image_url\":\"data:x\"}]},"
            + "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"42\"}]|look 42",
        "embeddings|\"input\":[\"c\",\"d\"]|cd",
      })
  void text_isWhatCountsAsText(String call, String members, String expected) {
    assertThat(openAi(call, members)).isEqualTo(expected);
  }

  @Test
  void text_ofAnthropic_isNotKept() {
    assertThat(text(Cases.messages("{\"model\":\"m\",\"messages\":[{\"content\":\"a\"}]}")))
        .isNull();
  }

  @Test
  void text_staysAtItsBound_andWeighsAllTheSame() {
    for (int more : new int[] {0, 1, 5_000_000}) {
      RequestReader reader =
          DialectTable.OPENAI.requestReader(
              Cases.reading(DialectTable.OPENAI), "/v1/chat/completions");
      reader.feed(ByteBuffer.wrap(Cases.bytes("{\"model\":\"m\",\"messages\":[{\"content\":\"")));
      reader.feed(ByteBuffer.wrap(Cases.bytes("x".repeat(KeptText.MAX_CHARS - 1))));
      reader.feed(ByteBuffer.wrap(Cases.bytes("y".repeat(more))));
      reader.feed(ByteBuffer.wrap(Cases.bytes("\"},{\"content\":\"zz\"}]}")));
      WeighedRequest weighed = reader.finish();
      assertThat(String.valueOf(text(weighed))).hasSize(KeptText.MAX_CHARS);
      assertThat(Cases.cost(weighed).inputTokens())
          .isEqualTo(Math.ceilDiv(KeptText.MAX_CHARS + 1 + more, 4) + 8);
    }
  }
}
