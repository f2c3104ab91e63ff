package io.penstock.tokenizer;

/**
 * Estimates input tokens before anything is learned: one for each four UTF-8 bytes, rounded up once
 * for the whole text.
 */
public final class TokenEstimate {
  /** Tokens of a message in addition to its text: its role, its name and its separators. */
  public static final long TOKENS_A_MESSAGE = 4;

  /** By the rule of thumb. */
  static final long BYTES_A_TOKEN = 4;

  private TokenEstimate() {}

  /** Returns the bytes of text that count as many tokens. */
  public static long bytes(long tokens) {
    return tokens * BYTES_A_TOKEN;
  }

  public static long tokens(long utf8Bytes) {
    return Math.ceilDiv(utf8Bytes, BYTES_A_TOKEN);
  }
}
