package io.penstock.cost;

import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Computes how much a request takes from the limits of one pool, before and after the call.
 *
 * <p>A weight has two parts: the amount <em>taken</em> when the request is released, and the amount
 * <em>reserved</em> while its answer runs and charged as the answer is produced.
 *
 * @param charge the rule by which the provider counts a request
 * @param settlesUsage whether the usage settles even a charge that otherwise stays, whatever the
 *     answer uses
 * @param burndown how many tokens of a limit one token of output takes under {@link
 *     ChargeRule#BEDROCK}, ≥ 1; unused under others
 * @param cacheTrust how many percent of a limit may at any time be left uncharged because input is
 *     expected to be read from a cache, 0 to 100. Where cache reads count all the same, it has no
 *     effect
 */
public record PoolTariff(ChargeRule charge, boolean settlesUsage, int burndown, int cacheTrust) {
  /** Result when the amount taken at release stays, whatever the usage. */
  public static final long KEEP = -1;

  /** The default of {@code cacheTrust}. */
  public static final int CACHE_TRUST = 10;

  private static final int FAST_BURNDOWN = 5;
  private static final int PERCENT = 100;

  /** Claude before 3.7, by its names at Bedrock. */
  private static final Pattern EARLY_CLAUDE =
      Pattern.compile("claude-(v?[12]\\b|instant|3-(haiku|sonnet|opus|5))");

  public PoolTariff {
    if (burndown < 1) {
      throw new IllegalArgumentException("burndown is " + burndown + ", expected at least 1");
    }
    if (cacheTrust < 0 || cacheTrust > PERCENT) {
      throw new IllegalArgumentException(
          "cacheTrust is " + cacheTrust + ", expected 0 to 100 percent");
    }
  }

  /** Creates a tariff with the default trust in caches. */
  public PoolTariff(ChargeRule charge, boolean settlesUsage, int burndown) {
    this(charge, settlesUsage, burndown, CACHE_TRUST);
  }

  /** Returns the tariff of a rule as its provider describes it, one token for one. */
  public static PoolTariff of(ChargeRule chargeRule) {
    return new PoolTariff(chargeRule, false, 1);
  }

  /**
   * Returns the tariff of a pool that {@code models} share, with the highest burndown of any of
   * them.
   */
  public static PoolTariff of(
      ChargeRule chargeRule, boolean settlesUsage, int cacheTrust, Collection<String> models) {
    int burndown = models.stream().mapToInt(PoolTariff::burndownOf).max().orElse(1);
    return new PoolTariff(chargeRule, settlesUsage, burndown, cacheTrust);
  }

  /**
   * Returns Bedrock's rate for output of {@code model}: 5 for Claude from 3.7 on, 1 for all others.
   */
  static int burndownOf(String model) {
    boolean fast = model.contains("claude") && !EARLY_CLAUDE.matcher(model).find();
    return fast ? FAST_BURNDOWN : 1;
  }

  /**
   * Returns the weight of {@code cost} in a limit of {@code limitMeasure}, as if nothing were read
   * from a cache.
   */
  public Weight weigh(LimitMeasure limitMeasure, Cost cost) {
    return switch (limitMeasure) {
      case REQUESTS -> Weight.exactly(1);
      case CONCURRENCY -> new Weight(0, 1, 0);
      case TOKENS ->
          new Weight(
              takenTokens(cost),
              heldTokens(cost),
              inputDimension().of(cost),
              wholeTokens().of(cost));
      case INPUT_TOKENS -> {
        long least = inputDimension().of(cost);
        yield new Weight(cost.inputTokens(), 0, least, least);
      }
      case OUTPUT_TOKENS -> new Weight(0, cost.outputTokens(), 0);
    };
  }

  /**
   * Returns whether a limit of {@code limitMeasure} only reserves part of a weight until the answer
   * has ended.
   */
  public boolean reserves(LimitMeasure limitMeasure) {
    return switch (limitMeasure) {
      case REQUESTS, INPUT_TOKENS -> false;
      case CONCURRENCY, OUTPUT_TOKENS -> true;
      case TOKENS ->
          switch (charge) {
            case TOTAL, ANTHROPIC, BEDROCK -> true;
            case WHOLE, OPENAI, AZURE, GEMINI -> false;
          };
    };
  }

  private long takenTokens(Cost cost) {
    if (charge == ChargeRule.WHOLE) {
      return cost.totalTokens();
    }
    return charge.keeps() ? CostDimension.STATED.of(cost) : cost.inputTokens();
  }

  private long heldTokens(Cost cost) {
    return switch (charge) {
      case TOTAL, ANTHROPIC -> cost.outputTokens();
      case WHOLE, OPENAI, AZURE, GEMINI -> 0;
      case BEDROCK -> CostDimension.MOST.of(cost) - cost.inputTokens();
    };
  }

  /**
   * Returns the dimension of what a limit of {@code limitMeasure} counts if nothing is read from a
   * cache; null where {@link #dimension} does not depend on a cache.
   */
  public @Nullable CostDimension uncertainDimension(LimitMeasure limitMeasure) {
    if (!expectsReads()) {
      return null;
    }
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY, OUTPUT_TOKENS -> null;
      case TOKENS -> CostDimension.TOTAL;
      case INPUT_TOKENS -> CostDimension.INPUT;
    };
  }

  /**
   * Returns the dimension of the input that is expected to count at release. Bedrock counts reads
   * from its cache, too, until the answer has ended.
   */
  public CostDimension inputDimension() {
    return expectsReads() ? CostDimension.UNCACHED : CostDimension.INPUT;
  }

  /** Returns whether input that is expected to be read from a cache is not charged. */
  public boolean expectsReads() {
    return charge.expectsCacheReads() && cacheTrust > 0;
  }

  /** Returns the most of a limit that may be left uncharged because of caches. */
  public long discountBound(long capacity) {
    return (long) ((double) capacity * cacheTrust / PERCENT);
  }

  /**
   * Returns the dimension with which {@link Weight#amount} grows for a limit of {@code
   * limitMeasure}, or null where all requests have the weight one.
   */
  public @Nullable CostDimension dimension(LimitMeasure limitMeasure) {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY -> null;
      case TOKENS -> ofTokens();
      case INPUT_TOKENS -> inputDimension();
      case OUTPUT_TOKENS -> CostDimension.OUTPUT;
    };
  }

  /**
   * Returns the dimension that must fit into the capacity of a limit of {@code limitMeasure}, or
   * null when there is none: a request of which the provider counts more at once is refused by it,
   * however long it waits. All else is expectation, which is cut to the capacity.
   */
  public @Nullable CostDimension wholeDimension(LimitMeasure limitMeasure) {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY, OUTPUT_TOKENS -> null;
      case TOKENS -> wholeTokens();
      case INPUT_TOKENS -> inputDimension();
    };
  }

  private CostDimension wholeTokens() {
    return switch (charge) {
      case TOTAL, WHOLE, ANTHROPIC, GEMINI -> inputDimension();
      case OPENAI, AZURE -> CostDimension.STATED;
      case BEDROCK -> CostDimension.CEILING;
    };
  }

  /**
   * Returns the largest stated maximum of output with which a request fits into a limit of {@code
   * limitMeasure}; {@link Long#MAX_VALUE} when the limit does not count it, and negative when the
   * input alone is too much.
   *
   * @param capacity the most that the limit ever admits
   */
  public long mostStatedOutput(LimitMeasure limitMeasure, long inputTokens, long capacity) {
    if (limitMeasure != LimitMeasure.TOKENS) {
      return Long.MAX_VALUE;
    }
    return switch (charge) {
      case TOTAL, WHOLE, ANTHROPIC, GEMINI -> Long.MAX_VALUE;
      case OPENAI, AZURE -> inputTokens > capacity ? capacity - inputTokens : capacity;
      case BEDROCK -> capacity - inputTokens;
    };
  }

  /**
   * Returns the largest input with which a request fits into a limit of {@code limitMeasure};
   * {@link Long#MAX_VALUE} when the limit does not count it, and negative when the stated maximum
   * alone is too much.
   *
   * @param capacity the most that the limit ever admits
   */
  public long mostInput(LimitMeasure limitMeasure, long statedOutputTokens, long capacity) {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY, OUTPUT_TOKENS -> Long.MAX_VALUE;
      case INPUT_TOKENS -> capacity;
      case TOKENS ->
          switch (charge) {
            case TOTAL, WHOLE, ANTHROPIC, GEMINI -> capacity;
            case OPENAI, AZURE ->
                statedOutputTokens > capacity ? capacity - statedOutputTokens : capacity;
            case BEDROCK -> capacity - statedOutputTokens;
          };
    };
  }

  private CostDimension ofTokens() {
    return switch (charge) {
      case TOTAL, WHOLE -> CostDimension.TOTAL;
      case ANTHROPIC -> expectsReads() ? CostDimension.UNCACHED_TOTAL : CostDimension.TOTAL;
      case OPENAI, AZURE -> CostDimension.STATED;
      case GEMINI -> CostDimension.INPUT;
      case BEDROCK -> CostDimension.MOST;
    };
  }

  /**
   * Returns the amount that should have been taken at release, given the usage, or {@link #KEEP}
   * when it stays.
   */
  public long settled(LimitMeasure limitMeasure, TokenUsage tokenUsage) {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY, OUTPUT_TOKENS -> KEEP;
      case TOKENS -> settledTokens(tokenUsage);
      case INPUT_TOKENS -> settledInput(tokenUsage);
    };
  }

  /**
   * Returns {@link #settled} for an answer that does not state its usage: its input is as it was
   * expected.
   *
   * @param outputTokens the tokens of the answer that were seen
   */
  public long settled(LimitMeasure limitMeasure, long inputTokens, long outputTokens) {
    return charge == ChargeRule.WHOLE && limitMeasure == LimitMeasure.TOKENS
        ? inputTokens + outputTokens
        : KEEP;
  }

  /**
   * Returns the amount that should have been taken at release, given the input that an answer
   * states while its output is still running, or {@link #KEEP} when it stays until the end.
   *
   * @param tokenUsage the usage stated so far, of which the output does not matter
   * @param expected the part of what was taken that was merely expected, such as the output
   */
  public long settledInput(LimitMeasure limitMeasure, TokenUsage tokenUsage, long expected) {
    boolean input =
        limitMeasure == LimitMeasure.TOKENS || limitMeasure == LimitMeasure.INPUT_TOKENS;
    if (!input) {
      return KEEP;
    }
    return switch (charge) {
      case TOTAL, ANTHROPIC, GEMINI -> settledInput(tokenUsage);
      case WHOLE ->
          limitMeasure == LimitMeasure.TOKENS
              ? tokenUsage.inputTokens() + expected
              : settledInput(tokenUsage);
      case OPENAI, AZURE, BEDROCK -> KEEP; // the provider keeps what it reserved until the end
    };
  }

  private long settledTokens(TokenUsage tokenUsage) {
    if (charge == ChargeRule.WHOLE) {
      return tokenUsage.totalTokens();
    }
    return charge.keeps() ? settledKept(tokenUsage) : settledInput(tokenUsage);
  }

  private long settledKept(TokenUsage tokenUsage) {
    return settlesUsage ? tokenUsage.totalTokens() : KEEP;
  }

  private long settledInput(TokenUsage tokenUsage) {
    return charge.cacheReadsAreFree()
        ? tokenUsage.inputTokens() - tokenUsage.cacheReadTokens()
        : tokenUsage.inputTokens();
  }

  /**
   * Returns the amount that {@code outputTokens} tokens just produced charge to a limit of {@code
   * measure}.
   */
  public long produced(LimitMeasure limitMeasure, long outputTokens) {
    return switch (limitMeasure) {
      case REQUESTS, CONCURRENCY, INPUT_TOKENS -> 0;
      case TOKENS -> producedTokens(outputTokens);
      case OUTPUT_TOKENS -> outputTokens;
    };
  }

  private long producedTokens(long outputTokens) {
    return switch (charge) {
      case TOTAL, ANTHROPIC -> outputTokens;
      case WHOLE, OPENAI, AZURE, GEMINI -> 0;
      case BEDROCK -> outputTokens * burndown;
    };
  }
}
