package io.penstock.fake;

import tools.jackson.databind.JsonNode;

/** Whose requests a fake provider reads and whose answers it writes. */
interface ProviderShape {
  /**
   * What a request asks.
   *
   * @param answers how many answers
   * @param maxTokens tokens each answer will have: the stated maximum is always produced in full
   */
  record Ask(String model, long inputTokens, int answers, int maxTokens, boolean stream) {
    long outputTokens() {
      return (long) answers * maxTokens;
    }
  }

  Ask read(String path, JsonNode body);

  /** The answer as one JSON document, or as server-sent events. */
  String write(String path, Ask ask, JsonNode request);

  /** The body of a 429. */
  String refusal();

  /** Text of so many tokens: each is four bytes. */
  static String words(int tokens) {
    return "tok ".repeat(tokens);
  }

  /** One token for each four bytes, rounded up. */
  static long tokens(String text) {
    return Math.ceilDiv(text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length, 4L);
  }
}
