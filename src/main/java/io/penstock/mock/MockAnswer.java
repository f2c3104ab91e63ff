package io.penstock.mock;

import tools.jackson.databind.json.JsonMapper;

/**
 * One answer being given.
 *
 * @param ask the request
 * @param text its text
 * @param number distinguishes this answer from the provider's others
 * @param createdSeconds Unix time
 * @param model the model's name as JSON
 * @param use what the request did with the provider's cache
 */
record MockAnswer(
    MockAsk.Generate ask,
    MockText text,
    long number,
    long createdSeconds,
    String model,
    PromptCache.Use use) {
  /** Maximum number of tokens in an event. */
  static final int TOKENS_PER_EVENT = 16;

  static MockAnswer of(
      MockAsk.Generate ask, MockText text, long number, long unixMillis, PromptCache.Use use) {
    MockContent content = ask.said().content();
    MockText said = content == null ? text : content.text();
    return new MockAnswer(
        ask,
        said,
        number,
        unixMillis / 1_000,
        JsonMapper.shared().writeValueAsString(ask.model()),
        use);
  }

  /** Returns the number of tokens of all answers together. */
  long outputTokens() {
    return (long) ask.outputTokens() * ask.answers();
  }
}
