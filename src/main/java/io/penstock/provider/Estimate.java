package io.penstock.provider;

/**
 * Input tokens as they are estimated before anything is learned: one for each four UTF-8 bytes,
 * rounded up over the whole text.
 */
final class Estimate {
  /** What a message costs beside its text: its role, its name and what separates it. */
  static final long TOKENS_A_MESSAGE = 4;

  /** By the rule of thumb. */
  static final long BYTES_A_TOKEN = 4;

  private Estimate() {}

  static long tokens(long utf8Bytes) {
    return Math.ceilDiv(utf8Bytes, BYTES_A_TOKEN);
  }
}
