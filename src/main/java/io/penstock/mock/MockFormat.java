package io.penstock.mock;

/** Format in which a mock provider answers. Its name in an address is that of the constant. */
public enum MockFormat {
  /** OpenAI's, which also serves endpoints of Azure's dialect. */
  OPENAI,
  ANTHROPIC,
  GEMINI
}
