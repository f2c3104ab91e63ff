package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SentMessagesTest {
  private static final int TEXT = 0x81;
  private static final int FIRST_OF_TWO = 0x01;
  private static final int LAST_OF_TWO = 0x80;
  private static final int PING = 0x89;
  private static final int MASKED = 0x80;
  private static final byte[] MASK = {1, 2, 3, 4};

  private static byte[] frame(int kind, String text) {
    byte[] payload = text.getBytes(UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(payload.length + 14).put((byte) kind);
    if (payload.length > 0xffff) {
      frame.put((byte) (MASKED | 127)).putLong(payload.length);
    } else if (payload.length > 125) {
      frame.put((byte) (MASKED | 126)).putShort((short) payload.length);
    } else {
      frame.put((byte) (MASKED | payload.length));
    }
    frame.put(MASK);
    for (int at = 0; at < payload.length; at++) {
      frame.put((byte) (payload[at] ^ MASK[at % MASK.length]));
    }
    return Arrays.copyOf(frame.array(), frame.position());
  }

  @Test
  void messagesOfEverySize_areRead() {
    SentMessages sent = new SentMessages();
    for (int length : new int[] {0, 125, 126, 65_535, 65_536}) {
      sent.writeBytes(frame(TEXT, "x".repeat(length)));
    }
    assertThat(sent.texts())
        .extracting(String::length)
        .containsExactly(0, 125, 126, 65_535, 65_536);
  }

  @Test
  void framesOfAMessage_areJoined_andControlFramesAreNoMessages() {
    SentMessages sent = new SentMessages();
    sent.writeBytes(frame(FIRST_OF_TWO, "wat"));
    sent.writeBytes(frame(PING, "ping"));
    assertThat(sent.texts()).isEmpty();
    sent.writeBytes(frame(LAST_OF_TWO, "er"));
    assertThat(sent.texts()).containsExactly("water");
  }

  @Test
  void frameThatIsNotThereYet_isWaitedFor() {
    byte[] whole = frame(TEXT, "x".repeat(200));
    SentMessages sent = new SentMessages();
    for (byte each : whole) {
      assertThat(sent.texts()).isEmpty();
      sent.write(each);
    }
    assertThat(sent.texts()).containsExactly("x".repeat(200));
  }
}
