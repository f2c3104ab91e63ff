package io.penstock.cost;

/**
 * Expected usage of a request, known before the call.
 *
 * @param inputTokens tokens the request sends, ≥ 0
 * @param outputTokens tokens the answers are expected to have together, ≥ 0
 * @param statedOutputTokens the largest output maximum the request states, times the number of
 *     answers it asks for; 0 when it states none
 */
public record Cost(long inputTokens, long outputTokens, long statedOutputTokens) {
  /** The cost of a request without tokens, such as a model list: it counts as one request only. */
  public static final Cost NO_TOKENS = new Cost(0, 0, 0);

  /** The largest count of tokens in any part of a cost: 2^40, far above what a provider takes. */
  public static final long MAX_TOKENS = 1L << 40;

  public Cost {
    check("inputTokens", inputTokens);
    check("outputTokens", outputTokens);
    check("statedOutputTokens", statedOutputTokens);
  }

  private static void check(String name, long tokens) {
    if (tokens < 0 || tokens > MAX_TOKENS) {
      throw new IllegalArgumentException(
          name + " is " + tokens + ", expected 0 to " + MAX_TOKENS + " tokens");
    }
  }

  /** Returns a cost of input only, as the {@code tokens} parameter of a request states it. */
  public static Cost ofInput(long inputTokens) {
    return new Cost(inputTokens, 0, 0);
  }

  /** Returns input plus expected output, in tokens. */
  public long totalTokens() {
    return inputTokens + outputTokens;
  }

  /** Returns this cost with another input; the output stays. */
  public Cost withInput(long tokens) {
    return new Cost(tokens, outputTokens, statedOutputTokens);
  }

  /** Returns this cost with the larger input of the two; the output stays. */
  public Cost withInputAtLeast(long tokens) {
    return tokens <= inputTokens ? this : withInput(tokens);
  }
}
