package io.penstock.fake;

/**
 * A provider's own limits: decides about requests on arrival, and is notified of produced output.
 */
public interface ProviderChecker {
  /** Has no limits and accepts everything. */
  ProviderChecker NONE = (now, input, stated) -> true;

  /**
   * Decides whether a request is accepted, and charges it if so.
   *
   * @param inputTokens its input
   * @param statedTokens its output maximum, times the number of answers it asks for
   */
  boolean takes(long now, long inputTokens, long statedTokens);

  /** Charges output produced at an instant, which may be in the future. */
  default void produces(long at, long outputTokens) {}

  /**
   * Limits like OpenAI's: requests, and the larger of stated maximum and input, both on arrival.
   */
  record OpenAi(TrailingChecker requests, TrailingChecker tokens) implements ProviderChecker {
    @Override
    public boolean takes(long now, long inputTokens, long statedTokens) {
      long amount = Math.max(statedTokens, inputTokens);
      synchronized (tokens) {
        if (!requests.fits(now, 1) || !tokens.fits(now, amount)) {
          return false;
        }
        requests.charge(now, 1);
        tokens.charge(now, amount);
        return true;
      }
    }
  }

  /**
   * Limits like Anthropic's: requests and input on arrival, output as it is produced. Output beyond
   * the limit of its window causes later requests to be refused.
   */
  record Anthropic(TrailingChecker requests, TrailingChecker input, TrailingChecker output)
      implements ProviderChecker {
    @Override
    public boolean takes(long now, long inputTokens, long statedTokens) {
      synchronized (output) {
        if (!requests.fits(now, 1) || !input.fits(now, inputTokens) || !output.fits(now, 0)) {
          return false;
        }
        requests.charge(now, 1);
        input.charge(now, inputTokens);
        return true;
      }
    }

    @Override
    public void produces(long at, long outputTokens) {
      output.charge(at, outputTokens);
    }
  }

  /** Fixed windows: input on arrival and output as it is produced. */
  record Windows(FixedChecker tokens) implements ProviderChecker {
    @Override
    public boolean takes(long now, long inputTokens, long statedTokens) {
      return tokens.arrives(now, inputTokens);
    }

    @Override
    public void produces(long at, long outputTokens) {
      tokens.produced(at, outputTokens);
    }
  }
}
