package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class RecordedJsonTest {
  private static final String SENT =
      "{\"model\":\"m\",\"n\":1,\"messages\":[{\"text\":\"Ünter four words here\"}],\"a\":\""
          + "x".repeat(41)
          + "\",\"short\":\"three words stay\"}";

  private static JsonNode tree(String json) {
    return JsonMapper.shared().readTree(json);
  }

  @Test
  void sentences_becomeTheirLengths_andShortWordsStay() {
    String recorded = new RecordedJson().recorded(SENT, UnaryOperator.identity());
    assertThat(tree(recorded))
        .isEqualTo(
            tree(
                "{\"model\":\"m\",\"n\":1,\"messages\":[{\"text\":\"‹22 bytes›\"}],"
                    + "\"a\":\"‹41 bytes›\",\"short\":\"three words stay\"}"));
  }

  @Test
  void expandedBody_isAsLongAsTheRecordedOne() {
    String recorded = new RecordedJson().recorded(SENT, UnaryOperator.identity());
    String expanded = new RecordedJson().expanded(recorded);
    assertThat(expanded.getBytes(UTF_8)).hasSameSizeAs(SENT.getBytes(UTF_8));
    assertThat(new RecordedJson().recorded(expanded, UnaryOperator.identity())).isEqualTo(recorded);
  }

  @Test
  void memberOfTheBodyBefore_isNotRepeated() {
    RecordedJson writer = new RecordedJson();
    String first = writer.recorded("{\"a\":[1],\"b\":2}", UnaryOperator.identity());
    String second = writer.recorded("{\"b\":2,\"a\":[1]}", UnaryOperator.identity());
    assertThat(second).isEqualTo("{\"b\":2,\"a\":\"‹as before›\"}");
    RecordedJson reader = new RecordedJson();
    assertThat(reader.expanded(first)).isEqualTo("{\"a\":[1],\"b\":2}");
    assertThat(reader.expanded(second)).isEqualTo("{\"b\":2,\"a\":[1]}");
  }
}
