package io.penstock.fake;

/** How a provider counts: it decides at arrival, and is told what its answers produce. */
public interface Checker {
  /** Counts nothing and takes everything. */
  Checker NONE = (now, input, stated) -> true;

  /**
   * Decides whether a request is taken, and charges it if so.
   *
   * @param inputTokens what it sends
   * @param statedTokens the output maximum it states, times the answers it asks for
   */
  boolean takes(long now, long inputTokens, long statedTokens);

  /** Charges output that is produced at an instant, which may be to come. */
  default void produces(long at, long outputTokens) {}

  /** As OpenAI does: requests, and the larger of stated maximum and input, both at arrival. */
  record OpenAi(TrailingChecker requests, TrailingChecker tokens) implements Checker {
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
   * As Anthropic does: requests and input at arrival, output as it is produced. Output that overran
   * its window refuses what comes next.
   */
  record Anthropic(TrailingChecker requests, TrailingChecker input, TrailingChecker output)
      implements Checker {
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

  /** Fixed windows of input at arrival and output as it is produced. */
  record Windows(FixedChecker tokens) implements Checker {
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
