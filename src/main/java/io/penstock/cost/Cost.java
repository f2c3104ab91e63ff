package io.penstock.cost;

/**
 * Expected usage of a request, known before the call.
 *
 * @param inputTokens tokens the request sends, ≥ 0
 * @param outputTokens tokens the answers are expected to have together, ≥ 0
 * @param statedOutputTokens the largest output maximum the request states, times the number of
 *     answers it asks for; 0 when it states none
 * @param cachedTokens the part of the input that the provider is expected to read from its cache, 0
 *     to {@code inputTokens}. It is 0 unless answers to earlier requests showed that it is there
 * @param unseenTokens what budgets keep free beside all this, ≥ 0: input that the provider may add
 *     and the body does not contain
 * @param spareOutputTokens how much longer than expected the answers may be together, if a budget
 *     need not have room for it, ≥ 0; 0 where it must have room for the stated maximum
 */
public record Cost(
    long inputTokens,
    long outputTokens,
    long statedOutputTokens,
    long cachedTokens,
    long unseenTokens,
    long spareOutputTokens) {
  /** The cost of a request without tokens, such as a model list: it counts as one request only. */
  public static final Cost NO_TOKENS = new Cost(0, 0, 0);

  /** The largest count of tokens in any part of a cost: 2^40, far above what a provider takes. */
  public static final long MAX_TOKENS = 1L << 40;

  public Cost {
    check("inputTokens", inputTokens);
    check("outputTokens", outputTokens);
    check("statedOutputTokens", statedOutputTokens);
    check("unseenTokens", unseenTokens);
    check("spareOutputTokens", spareOutputTokens);
    if (cachedTokens < 0 || cachedTokens > inputTokens) {
      throw new IllegalArgumentException(
          "cachedTokens is " + cachedTokens + ", expected 0 to the input, " + inputTokens);
    }
  }

  /** Creates a cost without unseen input. */
  public Cost(long inputTokens, long outputTokens, long statedOutputTokens, long cachedTokens) {
    this(inputTokens, outputTokens, statedOutputTokens, cachedTokens, 0, 0);
  }

  /** Creates a cost without expected reads from a cache. */
  public Cost(long inputTokens, long outputTokens, long statedOutputTokens) {
    this(inputTokens, outputTokens, statedOutputTokens, 0);
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

  /** Returns the output that a budget must have room for, in tokens. */
  public long neededOutputTokens() {
    return spareOutputTokens > 0 ? outputTokens : Math.max(statedOutputTokens, outputTokens);
  }

  /** Returns the input that is not expected to be read from a cache, in tokens. */
  public long uncachedTokens() {
    return inputTokens - cachedTokens;
  }

  /** Returns this cost with another input; the output stays, and no cache is expected. */
  public Cost withInput(long tokens) {
    return new Cost(tokens, outputTokens, statedOutputTokens, 0, unseenTokens, spareOutputTokens);
  }

  /**
   * Returns this cost with so much of its input expected to be read from a cache.
   *
   * @param tokens ≥ 0; more than the input counts as the input
   */
  public Cost withCached(long tokens) {
    long cached = Math.min(tokens, inputTokens);
    return new Cost(
        inputTokens, outputTokens, statedOutputTokens, cached, unseenTokens, spareOutputTokens);
  }

  /** Returns this cost with so much input that the body does not contain. */
  public Cost withUnseen(long tokens) {
    return new Cost(
        inputTokens, outputTokens, statedOutputTokens, cachedTokens, tokens, spareOutputTokens);
  }

  /**
   * Returns this cost with answers that may have as much output. A budget needs room only for the
   * expected part of it.
   */
  public Cost withMostOutput(long tokens) {
    long spare = Math.clamp(tokens - outputTokens, 0, MAX_TOKENS);
    return new Cost(
        inputTokens, outputTokens, statedOutputTokens, cachedTokens, unseenTokens, spare);
  }

  /** Returns this cost with the larger input of the two; the output stays. */
  public Cost withInputAtLeast(long tokens) {
    return tokens <= inputTokens ? this : withInput(tokens);
  }
}
