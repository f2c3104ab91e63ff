package io.penstock.cost;

import io.penstock.tenant.SharedState;
import org.jspecify.annotations.Nullable;

/**
 * Predicts the cost of requests from earlier answers: how many tokens a model's provider counts for
 * a text, and how long its answers are.
 *
 * <p>Text is the estimate times a ratio learned for each model, one for text that a tokenizer
 * counted and one for text that the rule of thumb did. Output is the length that nine of ten
 * answers do not exceed: answers to requests of about the same size by the same key to the same
 * model; if these are too few, answers to that key and model for any size; else those of that
 * model. A stated maximum is never exceeded.
 *
 * <p>The last {@value #MAX_PAIRS} keys with a model, and the last {@value #MAX_MODELS} models, are
 * remembered; older answers count less and less. Safe from any thread.
 */
public final class CostLearner {
  /** Number of pairs of a key and a model that are remembered. */
  public static final int MAX_PAIRS = 10_000;

  /** Number of models that are remembered. */
  public static final int MAX_MODELS = 1_000;

  /**
   * Nothing is learned about text from a request with more other input than 1 ÷ this of its text.
   */
  private static final long TEXT_TO_OTHER = 4;

  private record Pair(String key, String model) {}

  private static final class Model {
    private final TextRatio byRule = new TextRatio();
    private final TextRatio byTokenizer = new TextRatio();
    private final OutputLengthsBySize outputs = new OutputLengthsBySize();

    TextRatio ratio(RequestContent content) {
      return content.tokenized() ? byTokenizer : byRule;
    }
  }

  @SharedState("estimates of keys")
  private final RecentEntries<Pair, OutputLengthsBySize> pairs;

  @SharedState("estimates of models")
  private final RecentEntries<String, Model> models;

  /** Creates an instance without anything learned. */
  public CostLearner() {
    this(MAX_PAIRS, MAX_MODELS);
  }

  CostLearner(int mostPairs, int mostModels) {
    this.pairs = new RecentEntries<>(mostPairs, OutputLengthsBySize::new);
    this.models = new RecentEntries<>(mostModels, Model::new);
  }

  /**
   * Returns the expected cost of a request.
   *
   * @param key the key of the caller
   * @param defaultOutputTokens the output of one answer while none is stated and nothing is known
   */
  public Cost expect(RequestContent content, String key, long defaultOutputTokens) {
    Model model = content.model() == null ? null : models.find(content.model());
    long text = content.textTokens();
    if (model != null) {
      text = model.ratio(content).of(Math.min(text, Cost.MAX_TOKENS));
    }
    long learned = content.generates() ? output(content, key, model) : OutputLengths.UNKNOWN;
    if (!content.states() && learned >= OutputLengths.CUT) {
      learned = OutputLengths.UNKNOWN;
    }
    long most = content.states() ? content.statedOutputTokens() : Long.MAX_VALUE;
    long otherwise = content.states() ? most : Math.clamp(defaultOutputTokens, 0, Cost.MAX_TOKENS);
    return content.cost(
        text, learned == OutputLengths.UNKNOWN ? otherwise : Math.min(learned, most));
  }

  private long output(RequestContent content, String key, @Nullable Model model) {
    if (model == null || content.model() == null) {
      return OutputLengths.UNKNOWN;
    }
    OutputLengthsBySize own = pairs.find(new Pair(key, content.model()));
    long learned = own == null ? OutputLengths.UNKNOWN : own.ninetieth(size(content));
    return learned == OutputLengths.UNKNOWN ? model.outputs.ninetieth(size(content)) : learned;
  }

  /** Learns from the usage of a request, as its answer states it. */
  public void answered(RequestContent content, String key, TokenUsage tokenUsage) {
    if (content.model() == null) {
      return;
    }
    Model model = models.touch(content.model());
    if (content.otherTokens() * TEXT_TO_OTHER <= content.textTokens()) {
      model
          .ratio(content)
          .add(content.textTokens(), tokenUsage.inputTokens() - content.otherTokens());
    }
    if (content.generates()) {
      long each = length(content, tokenUsage);
      model.outputs.add(size(content), each);
      pairs.touch(new Pair(key, content.model())).add(size(content), each);
    }
  }

  /**
   * Returns the length of an answer. An answer that came to its stated maximum would have been
   * longer, by an unknown amount.
   */
  private static long length(RequestContent content, TokenUsage tokenUsage) {
    long each = Math.ceilDiv(tokenUsage.outputTokens(), Math.max(1, content.answers()));
    boolean cut = content.states() && each >= content.statedOutputTokens();
    return cut ? OutputLengths.LONGEST : each;
  }

  /** Returns the size as it was estimated, so that it does not move with what is learned. */
  private static long size(RequestContent content) {
    return Math.min(content.textTokens(), Cost.MAX_TOKENS)
        + Math.min(content.otherTokens(), Cost.MAX_TOKENS);
  }

  /** Returns how many tokens were counted for each estimated token; 1 while nothing is known. */
  double textRatio(RequestContent content) {
    Model model = content.model() == null ? null : models.find(content.model());
    return model == null ? 1 : model.ratio(content).ratio();
  }

  int pairs() {
    return pairs.size();
  }

  int models() {
    return models.size();
  }
}
