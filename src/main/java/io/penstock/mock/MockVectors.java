package io.penstock.mock;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Base64;
import reactor.core.publisher.Flux;
import tools.jackson.databind.json.JsonMapper;

/** The answer to an embeddings request: the same unit vector for every input. */
final class MockVectors {
  private static final int INPUTS_PER_PIECE = 16;

  private MockVectors() {}

  /**
   * Returns the answer in pieces of a few vectors, because thousands of them are many megabytes.
   */
  static Flux<byte[]> pieces(MockAsk.Embed ask) {
    byte[] vector = vector(ask.dimensions(), ask.base64());
    int pieces = (ask.inputs() + INPUTS_PER_PIECE - 1) / INPUTS_PER_PIECE;
    return Flux.range(0, pieces).map(piece -> piece(ask, vector, piece * INPUTS_PER_PIECE));
  }

  private static byte[] piece(MockAsk.Embed ask, byte[] vector, int from) {
    int to = Math.min(ask.inputs(), from + INPUTS_PER_PIECE);
    MockBytes out = new MockBytes((to - from) * (vector.length + 64) + 256);
    out.put(from == 0 ? "{\"object\":\"list\",\"data\":[" : "");
    for (int i = from; i < to; i++) {
      out.put(i == 0 ? "" : ",").put("{\"object\":\"embedding\",\"index\":").put(i);
      out.put(",\"embedding\":").put(vector).put("}");
    }
    if (to == ask.inputs()) {
      out.put("],\"model\":").put(JsonMapper.shared().writeValueAsBytes(ask.model()));
      out.put(",\"usage\":{\"prompt_tokens\":").put(ask.promptTokens());
      out.put(",\"total_tokens\":").put(ask.promptTokens()).put("}}");
    }
    return out.toArray();
  }

  /** Returns one vector as JSON. */
  static byte[] vector(int dimensions, boolean base64) {
    float value = (float) (1 / Math.sqrt(dimensions));
    if (base64) {
      ByteBuffer floats =
          ByteBuffer.allocate(dimensions * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < dimensions; i++) {
        floats.putFloat(i % 2 == 0 ? value : -value);
      }
      return ("\"" + Base64.getEncoder().encodeToString(floats.array()) + "\"").getBytes(US_ASCII);
    }
    StringBuilder floats = new StringBuilder(dimensions * 13).append('[');
    for (int i = 0; i < dimensions; i++) {
      floats.append(i == 0 ? "" : ",").append(i % 2 == 0 ? value : -value);
    }
    return floats.append(']').toString().getBytes(US_ASCII);
  }
}
