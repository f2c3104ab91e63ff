package io.penstock.cost;

/**
 * What a request really used, as its answer says. Counts above {@link Cost#MAX_TOKENS} are cut to
 * it: what an answer claims must not overflow what is added up.
 *
 * @param inputTokens tokens of input, cache reads included, ≥ 0
 * @param cacheReadTokens the part of the input that was read from the provider's cache
 * @param outputTokens tokens of output, ≥ 0
 */
public record Usage(long inputTokens, long cacheReadTokens, long outputTokens) {
  /** Nothing was used. */
  public static final Usage NONE = new Usage(0, 0, 0);

  public Usage {
    if (inputTokens < 0 || outputTokens < 0) {
      throw new IllegalArgumentException(
          "usage is " + inputTokens + " in, " + outputTokens + " out, expected neither below 0");
    }
    if (cacheReadTokens < 0 || cacheReadTokens > inputTokens) {
      throw new IllegalArgumentException(
          "cacheReadTokens is " + cacheReadTokens + ", expected 0 to inputTokens " + inputTokens);
    }
    inputTokens = Math.min(inputTokens, Cost.MAX_TOKENS);
    cacheReadTokens = Math.min(cacheReadTokens, Cost.MAX_TOKENS);
    outputTokens = Math.min(outputTokens, Cost.MAX_TOKENS);
  }

  /** Returns input plus output, in tokens. */
  public long totalTokens() {
    return inputTokens + outputTokens;
  }
}
