package io.penstock.cost;

/** How an endpoint's requests and answers are read. */
public enum Dialect {
  /** OpenAI's chat completions and embeddings. */
  OPENAI,
  /** Anthropic's messages. */
  ANTHROPIC,
  /** Nothing is read: the cost is what the request's parameters say. */
  NONE
}
