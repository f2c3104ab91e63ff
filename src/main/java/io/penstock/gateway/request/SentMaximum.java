package io.penstock.gateway.request;

import io.penstock.cost.Cost;
import io.penstock.cost.RequestContent;

/**
 * The maximum of output for one answer that an upstream is told.
 *
 * @param stated what replaces larger maxima in the body, or {@link RequestContent#UNSTATED}
 * @param added what is written into a body that states none, or {@link RequestContent#UNSTATED}
 * @param least what a budget does not lower it below
 * @param answers how many answers the request asks for, ≥ 1
 */
record SentMaximum(long stated, long added, long least, long answers) {
  /** No maximum. */
  static final SentMaximum NONE =
      new SentMaximum(RequestContent.UNSTATED, RequestContent.UNSTATED, 0, 1);

  /** The output beside that for thinking: a provider refuses a request without any. */
  private static final long BESIDE_THINKING = 1_024;

  /**
   * Returns the maximum of a request as it is stated.
   *
   * @param thinkingTokens the output for thinking that the request states, or 0
   */
  static SentMaximum of(RequestContent content, Cost cost, long thinkingTokens) {
    long expected = Math.ceilDiv(cost.outputTokens(), content.answers());
    long least = thinkingTokens == 0 ? 0 : thinkingTokens + BESIDE_THINKING;
    return new SentMaximum(
        content.statedOutputTokens(),
        RequestContent.UNSTATED,
        Math.max(expected, least),
        content.answers());
  }

  /** Returns the same with a maximum to be written into a body that states none. */
  SentMaximum adding(long tokens) {
    return new SentMaximum(stated, tokens, least, answers);
  }

  /** Returns the same for all answers together having no more output than that, if it can be. */
  SentMaximum within(long allTokens) {
    long each = Math.max(least, allTokens / answers);
    return new SentMaximum(lowered(stated, each), lowered(added, each), least, answers);
  }

  private static long lowered(long maximum, long most) {
    return maximum == RequestContent.UNSTATED ? maximum : Math.min(maximum, most);
  }
}
