package io.penstock.cost;

import org.jspecify.annotations.Nullable;

/**
 * How a provider adds a request up against its limits.
 *
 * <p>A weight has two parts: what is <em>taken</em> when the request is released, and what is
 * <em>held</em> while its answer runs and charged as the answer is produced. Requests are always
 * one, taken at release. Input and output budgets kept apart count the input at release and the
 * output as produced, under every charge.
 */
public enum Charge {
  /**
   * Input plus output. This is the measure of endpoints, keys and groups, and of providers that
   * count the tokens of both sides.
   */
  TOTAL {
    @Override
    long takenTokens(Cost cost) {
      return cost.inputTokens();
    }

    @Override
    long heldTokens(Cost cost) {
      return cost.outputTokens();
    }

    @Override
    long usedAtRelease(Usage usage) {
      return usage.inputTokens();
    }

    @Override
    long usedAsProduced(long outputTokens) {
      return outputTokens;
    }
  },

  /**
   * The larger of the stated maximum and the input, charged at release and kept whatever the answer
   * uses. Source: OpenAI's rate-limit guide, which counts a request as the maximum of {@code
   * max_tokens} and an estimate of its prompt.
   */
  OPENAI {
    @Override
    long takenTokens(Cost cost) {
      return Math.max(cost.statedOutputTokens(), cost.inputTokens());
    }

    @Override
    long heldTokens(Cost cost) {
      return 0;
    }

    @Override
    long usedAtRelease(Usage usage) {
      return KEEP;
    }

    @Override
    long usedAsProduced(long outputTokens) {
      return 0;
    }
  },

  /**
   * Input without cache reads at release, output as it is produced; the stated maximum does not
   * matter. Source: Anthropic's rate-limit page (ITPM excludes cache reads, OTPM counts tokens as
   * they are generated, {@code max_tokens} does not factor in).
   */
  ANTHROPIC {
    @Override
    long takenTokens(Cost cost) {
      return cost.inputTokens();
    }

    @Override
    long heldTokens(Cost cost) {
      return cost.outputTokens();
    }

    @Override
    long usedAtRelease(Usage usage) {
      return usage.inputTokens() - usage.cacheReadTokens();
    }

    @Override
    long usedAsProduced(long outputTokens) {
      return outputTokens;
    }
  };

  /** Says that what was taken at release stands, whatever the usage. */
  public static final long KEEP = -1;

  abstract long takenTokens(Cost cost);

  abstract long heldTokens(Cost cost);

  abstract long usedAtRelease(Usage usage);

  abstract long usedAsProduced(long outputTokens);

  /** Returns what {@code cost} asks of a limit of {@code measure}. */
  public Weight weigh(Measure measure, Cost cost) {
    return switch (measure) {
      case REQUESTS -> Weight.exactly(1);
      case TOKENS -> new Weight(takenTokens(cost), heldTokens(cost), cost.inputTokens());
      case INPUT_TOKENS -> Weight.exactly(cost.inputTokens());
      case OUTPUT_TOKENS -> new Weight(0, cost.outputTokens(), 0);
    };
  }

  /**
   * Returns the dimension in which {@link Weight#amount} grows for a limit of {@code measure}, or
   * null for requests, which all weigh the same.
   */
  public @Nullable Dimension dimension(Measure measure) {
    return switch (measure) {
      case REQUESTS -> null;
      case TOKENS -> this == OPENAI ? Dimension.STATED : Dimension.TOTAL;
      case INPUT_TOKENS -> Dimension.INPUT;
      case OUTPUT_TOKENS -> Dimension.OUTPUT;
    };
  }

  /**
   * Returns what the part taken at release should have been, given what was used, or {@link #KEEP}
   * when it stands.
   */
  public long settled(Measure measure, Usage usage) {
    return switch (measure) {
      case REQUESTS, OUTPUT_TOKENS -> KEEP;
      case TOKENS -> usedAtRelease(usage);
      case INPUT_TOKENS -> this == ANTHROPIC ? usedAtRelease(usage) : usage.inputTokens();
    };
  }

  /**
   * Returns what {@code outputTokens} tokens just produced charge to a limit of {@code measure}.
   */
  public long produced(Measure measure, long outputTokens) {
    return switch (measure) {
      case REQUESTS, INPUT_TOKENS -> 0;
      case TOKENS -> usedAsProduced(outputTokens);
      case OUTPUT_TOKENS -> outputTokens;
    };
  }
}
