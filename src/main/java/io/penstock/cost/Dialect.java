package io.penstock.cost;

/** Format in which the requests and answers of an endpoint are read. */
public enum Dialect {
  /** OpenAI: chat and text completions, responses, embeddings. */
  OPENAI,
  /** OpenAI's calls as Azure serves them: a deployment in the path names the model. */
  AZURE,
  /** Anthropic's messages. */
  ANTHROPIC,
  /** Gemini: the path names model and call. */
  GEMINI,
  /** Nothing is read: the cost is what the parameters of the request state. */
  NONE
}
