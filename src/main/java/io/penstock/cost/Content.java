package io.penstock.cost;

import org.jspecify.annotations.Nullable;

/**
 * What a request holds and states, before anything that was learned is put to it.
 *
 * @param model the model it asks for, or null
 * @param textTokens its input text in tokens, by a tokenizer or by the rule of thumb, ≥ 0
 * @param otherTokens input that is not text: what separates messages, images, tools of the
 *     provider's own, ≥ 0
 * @param statedOutputTokens the largest output maximum it states for one answer, ≥ 0, or {@link
 *     #UNSTATED}
 * @param answers how many answers it asks for, ≥ 1
 * @param generates whether there is output at all
 * @param tokenized whether {@code textTokens} was counted by a tokenizer
 */
public record Content(
    @Nullable String model,
    long textTokens,
    long otherTokens,
    long statedOutputTokens,
    long answers,
    boolean generates,
    boolean tokenized) {
  /** The stated maximum of a request that states none. */
  public static final long UNSTATED = -1;

  /** A request whose text was weighed by the rule of thumb. */
  public Content(
      @Nullable String model,
      long textTokens,
      long otherTokens,
      long statedOutputTokens,
      long answers,
      boolean generates) {
    this(model, textTokens, otherTokens, statedOutputTokens, answers, generates, false);
  }

  /** Returns the same with its text as a tokenizer counts it. */
  public Content tokenized(long byTokenizer) {
    return new Content(
        model, byTokenizer, otherTokens, statedOutputTokens, answers, generates, true);
  }

  /** Returns the cost as it is expected while nothing is known of requests before. */
  public Cost expected(long defaultOutputTokens) {
    return cost(textTokens, states() ? statedOutputTokens : defaultOutputTokens);
  }

  /** Returns whether it states an output maximum. */
  boolean states() {
    return statedOutputTokens != UNSTATED;
  }

  /** Returns the cost with so many tokens of text, and so many of output an answer. */
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

  /** At most what a cost may be. */
  private static long product(long each, long times) {
    long most = Cost.MAX_TOKENS / Math.max(1, times);
    return each > most ? Cost.MAX_TOKENS : each * times;
  }
}
