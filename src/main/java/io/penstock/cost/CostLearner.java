package io.penstock.cost;

import io.penstock.tenant.SharedState;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Predicts the cost of requests from earlier answers: how many tokens a model's provider counts for
 * a text, and how long its answers are.
 *
 * <p>Text is the estimate times a ratio learned for each key and model, one for text that a
 * tokenizer counted and one for text that the rule of thumb did. Output is the length that nine of
 * ten answers do not exceed: answers to requests of about the same size by the same key to the same
 * model; if these are too few, answers to that key and model for any size. A stated maximum is
 * never exceeded, but is no expectation: agents state the largest that there is. While a key knows
 * nothing of a model, the {@linkplain ModelWitnesses median} of what other keys learned of it
 * counts, so that no key decides alone what others are expected to use, or else a part of the
 * input. The first answers to a key correct that. Requests with input that is not in their body
 * teach nothing about text.
 *
 * <p>The last {@value #MAX_PAIRS} keys with a model, and the last {@value #MAX_MODELS} models, are
 * remembered, with a share for each key; older answers count less and less. So are the last {@value
 * #MAX_CHAINS} answers to which later requests may refer. Safe from any thread.
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

  /** Least output that is expected where a maximum is stated and nothing is known. */
  private static final long LEAST_OUTPUT = 256;

  /** Most output that is expected where a maximum is stated and nothing is known. */
  private static final long MOST_OUTPUT = 1_024;

  /** Where nothing is known, 1 ÷ this of the input is expected as output. */
  private static final long INPUT_TO_OUTPUT = 4;

  /** Number of answers that are remembered because later requests may refer to them. */
  public static final int MAX_CHAINS = 10_000;

  private record Pair(String key, String model) {}

  private record Chain(String key, String id) {}

  @SharedState("estimates of keys")
  private final RecentEntries<Pair, KeyLessons> pairs;

  @SharedState("estimates of models")
  private final RecentEntries<String, ModelWitnesses> models;

  @SharedState("sizes of chains")
  private final RecentEntries<Chain, AtomicLong> chains =
      new RecentEntries<>(MAX_CHAINS, AtomicLong::new);

  /** Creates an instance without anything learned. */
  public CostLearner() {
    this(MAX_PAIRS, MAX_MODELS);
  }

  CostLearner(int mostPairs, int mostModels) {
    this.pairs = new RecentEntries<>(mostPairs, KeyLessons::new);
    this.models = new RecentEntries<>(mostModels, ModelWitnesses::new);
  }

  /**
   * Returns the expected cost of a request.
   *
   * @param key the key of the caller
   * @param defaultOutputTokens the output of one answer while none is stated and nothing is known
   */
  public Cost expect(RequestContent content, String key, long defaultOutputTokens) {
    long most = content.states() ? content.statedOutputTokens() : Long.MAX_VALUE;
    long otherwise =
        content.states() && !content.fixedOutput()
            ? Math.clamp(size(content) / INPUT_TO_OUTPUT, LEAST_OUTPUT, MOST_OUTPUT)
            : Math.clamp(content.states() ? most : defaultOutputTokens, 0, Cost.MAX_TOKENS);
    long output = content.generates() ? output(content, key, Math.min(otherwise, most)) : otherwise;
    double text = (double) Math.min(content.textTokens(), Cost.MAX_TOKENS);
    return content.cost(Math.round(text * textRatio(content, key)), Math.min(output, most));
  }

  private long output(RequestContent content, String key, long otherwise) {
    KeyLessons own = own(content, key);
    double learned = own == null ? Double.NaN : outputOf(own, content);
    if (!Double.isNaN(learned)) {
      return (long) learned;
    }
    ModelWitnesses model = ofModel(content);
    double others =
        model == null
            ? (double) otherwise
            : model.median(each -> outputOf(each, content), (double) otherwise);
    return own == null ? Math.round(others) : own.outputs().corrected(others);
  }

  /**
   * Returns the length that answers to a key do not exceed; NaN while that is not known. Answers
   * that were cut off do not tell how long one without a maximum is.
   */
  private static double outputOf(KeyLessons lessons, RequestContent content) {
    long learned = lessons.outputs().ninetieth(size(content));
    boolean cut = !content.states() && learned >= OutputLengths.CUT;
    return learned == OutputLengths.UNKNOWN || cut ? Double.NaN : (double) learned;
  }

  private @Nullable KeyLessons own(RequestContent content, String key) {
    return content.model() == null ? null : pairs.find(new Pair(key, content.model()));
  }

  private @Nullable ModelWitnesses ofModel(RequestContent content) {
    return content.model() == null ? null : models.find(content.model());
  }

  /** Learns from the usage of a request, as its answer states it. */
  public void answered(RequestContent content, String key, TokenUsage tokenUsage) {
    if (content.model() == null) {
      return;
    }
    KeyLessons own = pairs.touch(new Pair(key, content.model()), key);
    boolean ofText = content.otherTokens() * TEXT_TO_OTHER <= content.textTokens();
    if (ofText && !content.unseenInput()) {
      long text = tokenUsage.inputTokens() - content.otherTokens();
      own.ratio(content).add(content.textTokens(), text, textRatio(content, key));
    }
    if (content.generates()) {
      own.outputs().add(size(content), length(content, tokenUsage));
    }
    models.touch(content.model(), key).heard(key, own);
  }

  /**
   * Notes what an answer states that the provider gave to a request with input that is not in its
   * body. A later request of the key that continues from it inherits no more. Answers to other
   * requests do not tell what a provider adds.
   *
   * @param id the id of the answer
   */
  public void chained(String key, String id, TokenUsage tokenUsage) {
    chains.touch(new Chain(key, id), key).set(tokenUsage.totalTokens());
  }

  /**
   * Returns how many tokens of input the provider may add that the body of a request does not
   * contain.
   *
   * @param continuedId the id of the answer that is all that it may add, or null
   * @param contextTokens the context of its model, which counts while nothing is known of that id
   */
  public long unseenTokens(String key, @Nullable String continuedId, long contextTokens) {
    AtomicLong stated = continuedId == null ? null : chains.find(new Chain(key, continuedId));
    return stated == null ? contextTokens : Math.min(stated.get(), Cost.MAX_TOKENS);
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

  /**
   * Returns how many tokens are expected to be counted for each estimated token of a key's text; 1
   * while nothing is known.
   */
  double textRatio(RequestContent content, String key) {
    KeyLessons own = own(content, key);
    if (own != null && own.ratio(content).isKnown()) {
      return own.ratio(content).ratio();
    }
    ModelWitnesses model = ofModel(content);
    return model == null ? 1 : model.median(each -> each.ratio(content).ratio(), 1);
  }

  int pairs() {
    return pairs.size();
  }

  int models() {
    return models.size();
  }
}
