package io.penstock.provider.answer;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class GivenIdTest {
  private static @Nullable String id(String answer) {
    byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
    GivenId whole = new GivenId();
    whole.feed(ByteBuffer.wrap(bytes));
    for (int cut = 0; cut <= bytes.length; cut++) {
      GivenId given = new GivenId();
      given.feed(ByteBuffer.wrap(bytes, 0, cut));
      given.feed(ByteBuffer.wrap(bytes, cut, bytes.length - cut));
      assertThat(given.id()).as("cut at " + cut).isEqualTo(whole.id());
    }
    return whole.id();
  }

  @Test
  void object_hasItsOwnId() {
    assertThat(id("{\"object\":\"file\",\"x\":{\"id\":\"no\"},\"id\":\"file-1\"}"))
        .isEqualTo("file-1");
  }

  @Test
  void stream_hasTheIdOfItsResponse() {
    assertThat(
            id(
                "event: response.created\ndata: {\"type\":\"response.created\",\"response\":"
                    + "{\"id\":\"resp_1\"}}\n\ndata: {\"response\":{\"id\":\"resp_2\"}}\n\n"))
        .isEqualTo("resp_1");
  }

  @Test
  void otherAnswers_haveNone() {
    assertThat(id("{\"id\":7,\"data\":[{\"id\":\"a\"}]}")).isNull();
    assertThat(id("{\"id\":\"" + "x".repeat(257) + "\"}")).isNull();
    assertThat(id("<p>{\"id\":\"a\"}")).isNull();
    assertThat(id("{broken")).isNull();
  }

  @Test
  void idFarBehind_isNotLookedFor_andTheBytesStayUnread() {
    GivenId given = new GivenId();
    ByteBuffer bytes =
        ByteBuffer.wrap(
            ("{\"a\":\"" + "x".repeat(GivenId.MOST_BYTES) + "\",\"id\":\"late\"}")
                .getBytes(StandardCharsets.UTF_8));
    given.feed(bytes);
    assertThat(given.id()).isNull();
    assertThat(given.done()).isTrue();
    assertThat(bytes.position()).isZero();
  }
}
