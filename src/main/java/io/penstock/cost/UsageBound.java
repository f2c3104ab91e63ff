package io.penstock.cost;

/**
 * The largest usage that an answer can state and be believed. Whoever pays for a request must not
 * lose a day's budget to an upstream that states nonsense. Immutable.
 *
 * @param outputTokens the largest output, over all answers, ≥ 0
 */
public record UsageBound(long outputTokens) {
  /**
   * A size in tokens that no context of a model surpasses: the largest that a provider offers is 10
   * million.
   */
  public static final long CONTEXT_TOKENS = 10_000_000;

  /** Most calls of a model for one answer that are believed. */
  private static final int MOST_CALLS = 100;

  /** The bound of unknown requests. */
  public static final UsageBound CONTEXT = new UsageBound(CONTEXT_TOKENS);

  /** Returns the bound of a request: the maximum that it states, or else a context, per answer. */
  public static UsageBound of(RequestContent content) {
    long each = content.states() ? content.statedOutputTokens() : CONTEXT_TOKENS;
    return new UsageBound(
        each > Cost.MAX_TOKENS / content.answers() ? Cost.MAX_TOKENS : each * content.answers());
  }

  /**
   * Returns the bound of an answer for which the model was called several times.
   *
   * @param calls the number of calls, of which {@link #MOST_CALLS} are believed
   */
  public UsageBound times(int calls) {
    long most = Math.clamp(calls, 1, MOST_CALLS);
    return new UsageBound(
        outputTokens > Cost.MAX_TOKENS / most ? Cost.MAX_TOKENS : outputTokens * most);
  }

  /**
   * Returns what can be believed of a usage; the same usage where all of it can.
   *
   * @param stated the usage that the answer states
   * @param textTokens the tokens of the output text that came, which is believed in any case
   */
  public TokenUsage within(TokenUsage stated, long textTokens) {
    long input = Math.min(stated.inputTokens(), CONTEXT_TOKENS);
    long output = output(stated.outputTokens(), textTokens);
    if (input == stated.inputTokens() && output == stated.outputTokens()) {
      return stated;
    }
    long read = Math.min(stated.cacheReadTokens(), input);
    long write = Math.min(stated.cacheWriteTokens(), input - read);
    long hour = Math.min(stated.cacheWriteHourTokens(), write);
    long reasoning = Math.min(stated.reasoningTokens(), output);
    return new TokenUsage(input, read, write, hour, output, reasoning);
  }

  /**
   * Returns what can be believed of an output.
   *
   * @param producedTokens the output that the answer states or shows so far
   * @param textTokens the tokens of the output text that came
   */
  public long output(long producedTokens, long textTokens) {
    return Math.min(producedTokens, Math.max(outputTokens, textTokens));
  }
}
