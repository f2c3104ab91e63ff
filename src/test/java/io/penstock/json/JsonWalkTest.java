package io.penstock.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.provider.Cases;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
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
}
