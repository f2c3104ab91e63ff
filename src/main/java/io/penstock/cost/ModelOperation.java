package io.penstock.cost;

/** Kind of work that a request asks of a model. */
public enum ModelOperation {
  /** The next message of a conversation. */
  CHAT,
  /** The text that continues another. */
  COMPLETION,
  /** Content of any kind, as Gemini calls it. */
  GENERATION,
  /** Vectors. */
  EMBEDDING
}
