package io.penstock.fake;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes that the client of a WebSocket without extensions has sent, and the text messages in
 * them. RFC 6455, section 5.2, has the form of a frame.
 */
final class SentMessages extends ByteArrayOutputStream {
  private static final int FIRST_CONTROL = 8;
  private static final int TWO_BYTES = 126;
  private static final int EIGHT_BYTES = 127;

  /** Returns the messages that are complete, in order. */
  List<String> texts() {
    ByteBuffer sent = ByteBuffer.wrap(toByteArray());
    List<String> texts = new ArrayList<>();
    ByteArrayOutputStream message = new ByteArrayOutputStream();
    while (isFrame(sent.duplicate())) {
      int first = sent.get();
      int kind = first & 0xf;
      byte[] payload = payload(sent);
      if (kind >= FIRST_CONTROL) {
        continue;
      }
      message.writeBytes(payload);
      if (first < 0) { // the highest bit marks the last frame of a message
        texts.add(message.toString(UTF_8));
        message.reset();
      }
    }
    return texts;
  }

  private static boolean isFrame(ByteBuffer sent) {
    if (sent.remaining() < 2) {
      return false;
    }
    int lengthBytes = lengthBytes(sent.get(sent.position() + 1));
    if (sent.remaining() < 2 + lengthBytes + Integer.BYTES) {
      return false;
    }
    sent.get();
    long length = length(sent);
    return sent.remaining() >= length + Integer.BYTES;
  }

  private static int lengthBytes(byte second) {
    return switch (second & 0x7f) {
      case TWO_BYTES -> Short.BYTES;
      case EIGHT_BYTES -> Long.BYTES;
      default -> 0;
    };
  }

  /** Reads the bytes before the mask. */
  private static long length(ByteBuffer sent) {
    int small = sent.get() & 0x7f;
    return switch (small) {
      case TWO_BYTES -> Short.toUnsignedInt(sent.getShort());
      case EIGHT_BYTES -> sent.getLong();
      default -> small;
    };
  }

  private static byte[] payload(ByteBuffer sent) {
    byte[] payload = new byte[Math.toIntExact(length(sent))];
    byte[] mask = new byte[Integer.BYTES];
    sent.get(mask).get(payload);
    for (int at = 0; at < payload.length; at++) {
      payload[at] ^= mask[at % mask.length];
    }
    return payload;
  }
}
