package io.penstock.mock;

import tools.jackson.databind.json.JsonMapper;

/**
 * One answer being given.
 *
 * @param ask what was asked for
 * @param text where its words come from
 * @param number tells this answer from the provider's others
 * @param createdSeconds Unix time
 * @param model the model's name as JSON
 */
record MockAnswer(
    MockAsk.Generate ask, MockText text, long number, long createdSeconds, String model) {
  /** An event carries at most this many tokens. */
  static final int TOKENS_PER_EVENT = 16;

  static MockAnswer of(MockAsk.Generate ask, MockText text, long number, long unixMillis) {
    return new MockAnswer(
        ask, text, number, unixMillis / 1_000, JsonMapper.shared().writeValueAsString(ask.model()));
  }

  /** Returns the tokens of all answers together. */
  long outputTokens() {
    return (long) ask.outputTokens() * ask.answers();
  }
}
