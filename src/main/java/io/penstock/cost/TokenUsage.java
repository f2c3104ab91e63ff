package io.penstock.cost;

/**
 * Real usage of a request, as its answer states it. Counts above {@link Cost#MAX_TOKENS} are cut to
 * that, so that no claim in an answer makes a sum overflow.
 *
 * @param inputTokens tokens of input, cache reads and writes included, ≥ 0
 * @param cacheReadTokens the part of the input that was read from the provider's cache
 * @param cacheWriteTokens the part of the input that was written to the cache; together with the
 *     part that was read no more than the input
 * @param cacheWriteHourTokens the part of what was written that the cache keeps for an hour, which
 *     providers charge more for than five minutes
 * @param outputTokens tokens of output, those of reasoning included, ≥ 0
 * @param reasoningTokens the part of the output that the client does not see
 */
public record TokenUsage(
    long inputTokens,
    long cacheReadTokens,
    long cacheWriteTokens,
    long cacheWriteHourTokens,
    long outputTokens,
    long reasoningTokens) {
  /** Nothing was used. */
  public static final TokenUsage NONE = new TokenUsage(0, 0, 0);

  public TokenUsage {
    if (inputTokens < 0 || outputTokens < 0) {
      throw new IllegalArgumentException(
          "usage is " + inputTokens + " in, " + outputTokens + " out, expected neither below 0");
    }
    part("cacheReadTokens", cacheReadTokens, "inputTokens", inputTokens);
    part("cacheWriteTokens", cacheWriteTokens, "uncached input", inputTokens - cacheReadTokens);
    part("cacheWriteHourTokens", cacheWriteHourTokens, "cacheWriteTokens", cacheWriteTokens);
    part("reasoningTokens", reasoningTokens, "outputTokens", outputTokens);
    inputTokens = Math.min(inputTokens, Cost.MAX_TOKENS);
    cacheReadTokens = Math.min(cacheReadTokens, inputTokens);
    cacheWriteTokens = Math.min(cacheWriteTokens, inputTokens - cacheReadTokens);
    cacheWriteHourTokens = Math.min(cacheWriteHourTokens, cacheWriteTokens);
    outputTokens = Math.min(outputTokens, Cost.MAX_TOKENS);
    reasoningTokens = Math.min(reasoningTokens, outputTokens);
  }

  /** Creates usage in which nothing is kept for an hour. */
  public TokenUsage(
      long inputTokens,
      long cacheReadTokens,
      long cacheWriteTokens,
      long outputTokens,
      long reasoningTokens) {
    this(inputTokens, cacheReadTokens, cacheWriteTokens, 0, outputTokens, reasoningTokens);
  }

  /** Creates usage without writes to a cache, and without reasoning. */
  public TokenUsage(long inputTokens, long cacheReadTokens, long outputTokens) {
    this(inputTokens, cacheReadTokens, 0, outputTokens, 0);
  }

  private static void part(String name, long part, String ofWhat, long whole) {
    if (part < 0 || part > whole) {
      throw new IllegalArgumentException(
          name + " is " + part + ", expected 0 to " + ofWhat + " " + whole);
    }
  }

  /** Returns input plus output, in tokens. */
  public long totalTokens() {
    return inputTokens + outputTokens;
  }
}
