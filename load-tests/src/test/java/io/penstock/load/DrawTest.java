package io.penstock.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class DrawTest {
  private static final String REQUEST = "POST /e0000000 HTTP/1.1\r\nKey: a000000#\r\n\r\n";

  private static Set<String> drawn(int numbers, int times) {
    ByteBuffer request = ByteBuffer.wrap(REQUEST.getBytes(UTF_8));
    Draw draw = new Draw(request.array(), numbers);
    Set<String> drawn = new TreeSet<>();
    for (int i = 0; i < times; i++) {
      draw.into(request);
      drawn.add(new String(request.array(), UTF_8));
    }
    return drawn;
  }

  @Test
  void eachNumber_isWrittenInAllPlaces_andItsLastDigitToo() {
    Set<String> drawn = drawn(12, 1_000);
    assertThat(drawn)
        .hasSize(12)
        .contains("POST /e0000003 HTTP/1.1\r\nKey: a0000003\r\n\r\n")
        .contains("POST /e0000011 HTTP/1.1\r\nKey: a0000001\r\n\r\n");
  }

  @Test
  void nothing_isDrawnOfNone() {
    assertThat(drawn(0, 3)).containsExactly(REQUEST);
  }
}
