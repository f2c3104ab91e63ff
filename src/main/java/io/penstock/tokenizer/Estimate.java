package io.penstock.tokenizer;

/**
 * Input tokens as they are estimated before anything is learned: one for each four UTF-8 bytes,
 * rounded up over the whole text.
 */
public final class Estimate {
  /** What a message costs beside its text: its role, its name and what separates it. */
  public static final long TOKENS_A_MESSAGE = 4;

  /** By the rule of thumb. */
  static final long BYTES_A_TOKEN = 4;

  private Estimate() {}

  public static long tokens(long utf8Bytes) {
    return Math.ceilDiv(utf8Bytes, BYTES_A_TOKEN);
  }
}
