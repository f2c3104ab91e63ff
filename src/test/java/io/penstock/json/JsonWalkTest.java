package io.penstock.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.provider.Cases;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonWalkTest {
  private static final JsonWalk.Visitor NOBODY =
      new JsonWalk.Visitor() {
        @Override
        public void open(JsonWalk at, boolean array) {}

        @Override
        public void close(JsonWalk at) {}

        @Override
        public void scalar(JsonWalk at) {}
      };

  private static boolean broken(JsonWalk walk, byte[] document, int... cuts) {
    int from = 0;
    for (int cut : cuts) {
      walk.feed(ByteBuffer.wrap(document, from, cut - from));
      from = cut;
    }
    walk.feed(ByteBuffer.wrap(document, from, document.length - from));
    walk.end();
    return walk.fault() != null;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"a\": 1 , }",
        "{\"a\": {\"b\": [1 , 2 ,\n ] ,\n } }",
        "{ , }",
        "{\"a\": 1 , , }",
        "{\"a\": [ , ] }",
        "{\"a\": [1 , , 2] }",
        "{\"a\": 1 , ] }",
        "{\"a\": 1 } , ",
        "{\"a\": }",
        "{\"a\" : \r\n} ",
        "{\"a\": ]}",
        "[{\"a\" :} ]",
        "{\"a\": \": }\" }"
      })
  void separatorsThatNothingFollows_areReadAlikeWhereverTheyAreCut(String json) {
    byte[] document = Cases.bytes(json);
    for (JsonWalk kind : List.of(JsonWalk.ofRequest(NOBODY), JsonWalk.ofAnswer(NOBODY))) {
      boolean whole = broken(kind, document);
      for (int first = 0; first <= document.length; first++) {
        for (int second = first; second <= document.length; second++) {
          kind.restart();
          assertThat(broken(kind, document, first, second))
              .as("cut at %d and %d", first, second)
              .isEqualTo(whole);
        }
      }
    }
  }

  /** A visitor that counts and copies each scalar. */
  private static final class Copies implements JsonWalk.Visitor {
    private final KeptText text = new KeptText();
    private final KeptText.Part part = text.part();
    private long bytes;
    private long bytesOnly;

    @Override
    public void open(JsonWalk at, boolean array) {}

    @Override
    public void close(JsonWalk at) {}

    @Override
    public void scalar(JsonWalk at) {
      bytes += at.utf8Bytes(part);
      bytesOnly += at.utf8Bytes();
    }
  }

  private static List<Arguments> texts() {
    return List.of(
        Arguments.of("", ""),
        Arguments.of("plain", "plain"),
        Arguments.of("it's \\ \"so\"", "it's \\\\ \\\"so\\\""),
        Arguments.of("a\nb", "a\\u000ab"),
        Arguments.of("h\u00e9llo \u20ac", "h\u00e9llo \u20ac"),
        Arguments.of("\u00e9\ud83d\ude00", "\\u00e9\ud83d\ude00"),
        Arguments.of("\ud83d\ude00", "\\ud83d\\ude00"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void string_isCountedAndCopied_whereverItIsCut(String text, String written) {
    byte[] document = Cases.bytes("{\"a\": \"" + written + "\", \"b\":[\"" + written + "\",12]}");
    for (int cut = 0; cut <= document.length; cut++) {
      Copies copies = new Copies();
      assertThat(broken(JsonWalk.ofRequest(copies), document, cut)).isFalse();
      int bytes = 2 * text.getBytes(StandardCharsets.UTF_8).length + 2;
      assertThat(copies.text.whole()).as("cut at %d", cut).isEqualTo(text + text + "12");
      assertThat(copies.bytes).as("cut at %d", cut).isEqualTo(bytes);
      assertThat(copies.bytesOnly).as("cut at %d", cut).isEqualTo(bytes);
    }
  }
}
