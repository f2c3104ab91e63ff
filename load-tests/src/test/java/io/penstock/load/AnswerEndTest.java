package io.penstock.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerEndTest {
  private final AnswerEnd end = new AnswerEnd();

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\nContent-Length: 5\n\nhello",
        "HTTP/1.1 200 OK\ncontent-length:0\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n1\nh\n0b\nello, world\n0\n\n",
        "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n0\nA: b\n\n"
      })
  void answer_byteByByte_endsWithItsLastAlone(String lines) throws IOException {
    String answer = lines.replace("\n", "\r\n");
    for (int at = 0; at < answer.length(); at++) {
      boolean last = at == answer.length() - 1;
      assertThat(end.reached(bytes(answer.substring(at, at + 1)))).as("%d", at).isEqualTo(last);
    }
    end.begin();
    assertThat(end.reached(bytes(answer))).isTrue();
    assertThat(end.status()).isEqualTo(200);
    assertThat(end.closes()).isFalse();
  }

  @Test
  void stream_isToldWhenItBegins_andHowManyEventsEnded() throws IOException {
    AnswerEnd counting = new AnswerEnd(true);
    assertThat(counting.reached(bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9")))
        .isFalse();
    assertThat(counting.bodyBegun()).isFalse();
    assertThat(counting.reached(bytes("\r\ndata: 1\n\n\r\n8\r\ndata: 2\n"))).isFalse();
    assertThat(counting.bodyBegun()).isTrue();
    assertThat(counting.events()).isEqualTo(1);
    assertThat(counting.reached(bytes("\r\n1\r\n\n\r\n0\r\n\r\n"))).isTrue();
    assertThat(counting.events()).isEqualTo(2);
    counting.begin();
    assertThat(counting.bodyBegun()).isFalse();
    assertThat(counting.events()).isZero();
  }

  @Test
  void refusalThatCloses_isTold() throws IOException {
    String answer = "HTTP/1.1 502 Bad\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx";
    assertThat(end.reached(bytes(answer))).isTrue();
    assertThat(end.status()).isEqualTo(502);
    assertThat(end.closes()).isTrue();
  }

  @Test
  void answerOfUnknownLength_orWithMoreBehindIt_isRefused() {
    assertThatIOException()
        .isThrownBy(() -> end.reached(bytes("HTTP/1.1 200 OK\r\n\r\n")))
        .withMessage("neither a length nor chunks");
    end.begin();
    assertThatIOException()
        .isThrownBy(() -> end.reached(bytes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy")))
        .withMessage("1 bytes after the answer");
  }
}
