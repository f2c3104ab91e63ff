package io.penstock.cost;

import org.jspecify.annotations.Nullable;

/**
 * Content of a request and the maximum it states, before anything learned is applied.
 *
 * @param model the model it asks for, or null
 * @param textTokens its input text in tokens, by a tokenizer or by the rule of thumb, ≥ 0
 * @param otherTokens input that is not text: separators of messages, images, tools of the
 *     provider's own, ≥ 0
 * @param statedOutputTokens the largest output maximum it states for one answer, ≥ 0, or {@link
 *     #UNSTATED}
 * @param answers how many answers it asks for, ≥ 1
 * @param generates whether there is output at all
 * @param tokenized whether {@code textTokens} was counted by a tokenizer
 * @param unseenInput whether the provider adds input that the body does not contain, such as the
 *     earlier turns of a conversation, files, and results of tools of its own
 * @param fixedOutput whether an answer has as much output as is stated, such as a picture of a
 *     certain size, and not at most as much
 */
public record RequestContent(
    @Nullable String model,
    long textTokens,
    long otherTokens,
    long statedOutputTokens,
    long answers,
    boolean generates,
    boolean tokenized,
    boolean unseenInput,
    boolean fixedOutput) {
  /** Value of {@code statedOutputTokens} when the request states no maximum. */
  public static final long UNSTATED = -1;

  /** Creates content that is all input, with text that was counted by the rule of thumb. */
  public RequestContent(
      @Nullable String model,
      long textTokens,
      long otherTokens,
      long statedOutputTokens,
      long answers,
      boolean generates) {
    this(
        model,
        textTokens,
        otherTokens,
        statedOutputTokens,
        answers,
        generates,
        false,
        false,
        false);
  }

  /** Returns the same content of a request to which the provider adds input, or does not. */
  public RequestContent unseenInput(boolean adds) {
    return with(textTokens, statedOutputTokens, tokenized, adds, fixedOutput);
  }

  /** Returns the same content with its text as a tokenizer counts it. */
  public RequestContent tokenized(long byTokenizer) {
    return with(byTokenizer, statedOutputTokens, true, unseenInput, fixedOutput);
  }

  /** Returns the same content with another maximum of output for one answer. */
  public RequestContent stating(long outputTokens) {
    return with(textTokens, outputTokens, tokenized, unseenInput, fixedOutput);
  }

  /** Returns the same content with a fixed output for each answer. */
  public RequestContent producing(long outputTokens) {
    return with(textTokens, outputTokens, tokenized, unseenInput, true);
  }

  private RequestContent with(
      long text, long outputTokens, boolean counted, boolean unseen, boolean fixed) {
    return new RequestContent(
        model, text, otherTokens, outputTokens, answers, generates, counted, unseen, fixed);
  }

  /** Returns the expected cost while nothing is known of earlier requests. */
  public Cost expected(long defaultOutputTokens) {
    return cost(textTokens, states() ? statedOutputTokens : defaultOutputTokens);
  }

  /** Returns whether the request states an output maximum. */
  public boolean states() {
    return statedOutputTokens != UNSTATED;
  }

  /**
   * Returns the cost with {@code text} tokens of text, and {@code outputEach} of output per answer.
   */
  Cost cost(long text, long outputEach) {
    long input = Math.min(sum(text, otherTokens), Cost.MAX_TOKENS);
    if (!generates) {
      return Cost.ofInput(input);
    }
    long stated = states() ? product(statedOutputTokens, answers) : 0;
    return new Cost(input, product(outputEach, answers), stated);
  }

  private static long sum(long a, long b) {
    return Math.min(a, Cost.MAX_TOKENS) + Math.min(b, Cost.MAX_TOKENS);
  }

  /** Returns each × times, at most {@link Cost#MAX_TOKENS}. */
  private static long product(long each, long times) {
    long most = Cost.MAX_TOKENS / Math.max(1, times);
    return each > most ? Cost.MAX_TOKENS : each * times;
  }
}
