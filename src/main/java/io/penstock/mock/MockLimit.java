package io.penstock.mock;

import org.jspecify.annotations.Nullable;

/**
 * The mock provider's limits for one model: requests, tokens, and uncached input tokens over an
 * exact trailing window. Shares no code with the gateway's limits, so that they cannot have the
 * same bug. Thread-safe.
 */
final class MockLimit {
  /** Remaining amount of one limit, and the time until it is completely restored. */
  record Level(long limit, long remaining, long resetNanos) {}

  /**
   * The decision about a request, with the levels just after it; a level is null if unlimited.
   *
   * @param binding name of the limit that refused, {@code requests}, {@code tokens} or {@code input
   *     tokens}; null if admitted
   * @param retryNanos time after which it would be admitted if nothing else came; -1 means never
   */
  record Verdict(
      @Nullable Level requests,
      @Nullable Level tokens,
      @Nullable Level input,
      @Nullable String binding,
      long retryNanos) {
    static final Verdict UNLIMITED = new Verdict(null, null, null, null, 0);

    /** Returns the same decision without the levels. */
    Verdict unannounced() {
      return new Verdict(null, null, null, binding, retryNanos);
    }
  }

  private final @Nullable MockWindow requests;
  private final @Nullable MockWindow tokens;
  private final @Nullable MockWindow input;

  /** Creates limits; 0 means unlimited. */
  MockLimit(long rpm, long tpm, long itpm, long windowNanos) {
    this.requests = rpm == 0 ? null : new MockWindow(rpm, windowNanos);
    this.tokens = tpm == 0 ? null : new MockWindow(tpm, windowNanos);
    this.input = itpm == 0 ? null : new MockWindow(itpm, windowNanos);
  }

  /**
   * Admits one request of {@code amount} tokens and charges it, or refuses and charges nothing.
   *
   * @param inputTokens the tokens that a limit of input is charged
   */
  synchronized Verdict take(long nowNanos, long amount, long inputTokens) {
    long requestWait = requests == null ? 0 : requests.untilFitsNanos(nowNanos, 1);
    long tokenWait = tokens == null ? 0 : tokens.untilFitsNanos(nowNanos, amount);
    long inputWait = input == null ? 0 : input.untilFitsNanos(nowNanos, inputTokens);
    if (inputWait < 0 || (inputWait > 0 && tokenWait >= 0 && inputWait >= tokenWait)) {
      return verdict(
          nowNanos, "input tokens", inputWait < 0 ? inputWait : Math.max(inputWait, requestWait));
    }
    if (tokenWait != 0 || requestWait != 0) {
      boolean byTokens = tokenWait < 0 || tokenWait >= requestWait;
      return verdict(
          nowNanos, byTokens ? "tokens" : "requests", byTokens ? tokenWait : requestWait);
    }
    if (requests != null) {
      requests.add(nowNanos, 1);
    }
    if (tokens != null) {
      tokens.add(nowNanos, amount);
    }
    if (input != null) {
      input.add(nowNanos, inputTokens);
    }
    return verdict(nowNanos, null, 0);
  }

  /** Charges tokens of a running answer, even beyond the limit. */
  synchronized void charge(long nowNanos, long amount) {
    if (tokens != null) {
      tokens.add(nowNanos, amount);
    }
  }

  private Verdict verdict(long nowNanos, @Nullable String binding, long retryNanos) {
    return new Verdict(
        level(requests, nowNanos),
        level(tokens, nowNanos),
        level(input, nowNanos),
        binding,
        retryNanos);
  }

  private static @Nullable Level level(@Nullable MockWindow window, long nowNanos) {
    return window == null
        ? null
        : new Level(window.limit(), window.remaining(nowNanos), window.untilEmptyNanos(nowNanos));
  }
}
