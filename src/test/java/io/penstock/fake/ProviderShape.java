package io.penstock.fake;

import tools.jackson.databind.JsonNode;

/** The request and answer formats of a provider. */
interface ProviderShape {
  /**
   * A request.
   *
   * @param answers number of answers
   * @param maxTokens tokens of each answer: the stated maximum is always produced in full
   */
  record Ask(String model, long inputTokens, int answers, int maxTokens, boolean stream) {
    long outputTokens() {
      return (long) answers * maxTokens;
    }
  }

  Ask read(String path, JsonNode body);

  /** Returns the answer as a JSON document or as server-sent events. */
  String write(String path, Ask ask, JsonNode request);

  /** Returns the body of a 429. */
  String refusal();

  /** Returns text of the given number of tokens, each of four bytes. */
  static String words(int tokens) {
    return "tok ".repeat(tokens);
  }

  /** Returns one token for each four bytes, rounded up. */
  static long tokens(String text) {
    return Math.ceilDiv(text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length, 4L);
  }
}
