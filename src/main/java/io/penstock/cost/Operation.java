package io.penstock.cost;

/** What a request that is weighed asks a model for. */
public enum Operation {
  /** The next message of a conversation. */
  CHAT,
  /** The text that follows another. */
  COMPLETION,
  /** Content of any kind, as Gemini calls it. */
  GENERATION,
  /** Vectors. */
  EMBEDDING
}
