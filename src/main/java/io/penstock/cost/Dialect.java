package io.penstock.cost;

/** How an endpoint's requests and answers are read. */
public enum Dialect {
  /** OpenAI: chat and text completions, responses, embeddings. */
  OPENAI,
  /** OpenAI's calls as Azure serves them: a deployment in the path names the model. */
  AZURE,
  /** Anthropic's messages. */
  ANTHROPIC,
  /** Gemini: the path names model and call. */
  GEMINI,
  /** Nothing is read: the cost is what the request's parameters say. */
  NONE
}
